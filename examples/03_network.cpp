// SPDX-License-Identifier: MIT
// A network: describe it with pipes, compile it for a backend, ask it, and see where its time goes.
#include <iostream>
#include <vector>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/session.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

int main() {
  rp::graph net("tiny");
  const rp::node image = net.input({28, 28, 1});
  const rp::node hidden = image | nn::flatten{} | nn::dense{.units = 128} | nn::relu{};
  const rp::node residual = rp::add(hidden, hidden | nn::dense{.units = 128} | nn::relu{});
  const rp::node digit = residual | nn::dense{.units = 10} | nn::softmax{};

  const auto session = net.compile<float>(rp::cpu(1), digit, {.batch = 16, .seed = 42});
  const std::vector<float> images(16 * 28 * 28, 0.5F);
  std::vector<float> probabilities(16 * 10);
  session.run(images, probabilities);

  float sum = 0;
  for (int i = 0; i < 10; ++i) sum += probabilities[static_cast<std::size_t>(i)];
  std::cout << "probabilities of the first image sum to " << sum << '\n';
  for (const rp::planned_call& call : session.plan().calls)
    std::cout << call.info.layer << "  " << call.info.shape << "  " << call.info.receipt.flop << " FLOP\n";
}

// Prints:
//   probabilities of the first image sum to 1
//   dense_1  16x784 * 784x128 relu  3215360 FLOP
//   dense_2  16x128 * 128x128 relu  528384 FLOP
//   add_1  16x128  2048 FLOP
//   dense_3  16x128 * 128x10  41120 FLOP
//   softmax_1  16x10  640 FLOP

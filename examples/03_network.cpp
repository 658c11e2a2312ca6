// SPDX-License-Identifier: MIT
// A network: describe it with pipes, print its cost, compile it for a backend, run it, and list the calls it made.
#include <iostream>
#include <vector>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/graph/summary.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

int main() {
  rp::graph net("tiny");
  const rp::node image = net.input({28, 28, 1});
  const rp::node hidden = image | nn::flatten{} | nn::dense{.units = 128} | nn::relu{};
  const rp::node residual = rp::add(hidden, hidden | nn::dense{.units = 128} | nn::relu{});
  const rp::node digit = residual | nn::dense{.units = 10} | nn::softmax{};

  std::cout << net.summary(digit, {.batch = 16}) << '\n';
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
//   tiny       output      parameters        FLOP
//              one sample              one sample
//   ---------------------------------------------
//   input_1    28x28x1
//   flatten_1  784
//   dense_1    128            100,480     200,960
//   relu_1     128
//   dense_2    128             16,512      33,024
//   relu_2     128
//   add_1      128                            128
//   dense_3    10               1,290       2,570
//   softmax_1  10                              40
//   ---------------------------------------------
//   total      10             118,282     236,722
//   a step of 16 in f32: 3.79 MFLOP; memory 540 kB: batch 50.2 kB, parameters 473 kB, arena 16.4 kB
//
//   probabilities of the first image sum to 1
//   dense_1  16x784 * 784x128 relu  3215360 FLOP
//   dense_2  16x128 * 128x128 relu  528384 FLOP
//   add_1  16x128  2048 FLOP
//   dense_3  16x128 * 128x10  41120 FLOP
//   softmax_1  16x10  640 FLOP

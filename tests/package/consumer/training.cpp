// SPDX-License-Identifier: MIT
// Trains a network, mostly from code compiled in ridgepoint::dispatch.
#include <cstdio>
#include <vector>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/graph/trainer.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

#if !RIDGEPOINT_COMPILED && !defined(__SSE4_2__) && !defined(__FAST_MATH__) && !defined(_GLIBCXX_DEBUG)
#error "ridgepoint::dispatch must say that it holds compiled networks"
#endif

int main() {
  rp::graph net("mlp");
  const auto y = net.input({4, 4, 1}) | nn::flatten{} | nn::dense{.units = 8} | nn::relu{} | nn::dropout{.rate = 0.1F} |
                 nn::dense{.units = 2};
  const rp::cpu on(1);
  auto trainer = net.train<float>(on, y, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 2, .seed = 42});
  std::vector<float> x(2 * 16);
  for (std::size_t i = 0; i < 16; ++i) x[i] = 1;
  const std::vector<std::int32_t> labels = {0, 1};
  const double first = trainer.step(x, labels);
  double last = first;
  for (int step = 0; step < 50; ++step) last = trainer.step(x, labels);
  std::printf("loss %g, then %g\n", first, last);
  return last < first ? 0 : 1;
}

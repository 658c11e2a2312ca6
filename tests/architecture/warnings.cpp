// SPDX-License-Identifier: MIT
#include <cstdint>
#include <vector>

#include <ridgepoint/cpu/all.hpp>
#include <ridgepoint/cpu/native_cpu.hpp>
#include <ridgepoint/models/all.hpp>
#include <ridgepoint/mxu/all.hpp>
#include <ridgepoint/reference/all.hpp>
#include <ridgepoint/ridgepoint.hpp>
#include <ridgepoint/study/modelled_graph.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {
/// Instantiates every op of the backend through a training step.
template <class T, class Backend>
void train(const Backend& on) {
  rp::graph net("small");
  const rp::node image = net.input({8, 8, 3}) | nn::conv2d{.filters = 4, .kernel = 3} | nn::relu{} | nn::max_pool{};
  const rp::node classes = image | nn::flatten{} | nn::dropout{} | nn::dense{.units = 2};
  auto trainer = net.template train<T>(on, classes, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 8});
  const std::vector<T> x(8 * 192);
  const std::vector<std::int32_t> labels(8);
  static_cast<void>(trainer.step(x, labels));
}
}  // namespace

int main() {
  train<float>(rp::native_cpu(1));
  train<double>(rp::reference);
}

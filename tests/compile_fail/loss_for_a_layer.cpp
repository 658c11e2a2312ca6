// SPDX-License-Identifier: MIT
// expect: a loss is not a layer: pass it to train\(\)
#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/layers/elementwise.hpp>
#include <ridgepoint/graph/losses.hpp>

namespace rp = ridgepoint;

int main() {
  rp::graph net("net");
#ifdef FIXED
  const rp::node y = net.input({4}) | rp::nn::relu{};
#else
  const rp::node y = net.input({4}) | rp::nn::mse{};
#endif
  return static_cast<int>(y.extents().size()) - 4;
}

// SPDX-License-Identifier: MIT
// The gradient a trainer computes is the slope of the loss it reports: whole networks, central differences in double.
#include <doctest/doctest.h>

#include "slope.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;
using slope::random_values;
using slope::worst_slope;

namespace {
constexpr std::int32_t labels[] = {2, 0, 1, 1, 2};
}  // namespace

TEST_CASE("the study's MLP in small: dense, ReLU, dropout, softmax cross-entropy") {
  rp::graph net("mlp");
  rp::node y = net.input({7});
  for (int i = 0; i < 3; ++i) y = y | nn::dense{.units = 6} | nn::relu{} | nn::dropout{.rate = 0.45F};
  CHECK(worst_slope(net, y | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, labels, 35) < 1e-6);
}

TEST_CASE("residual branches, shared values and every activation") {
  rp::graph net("residual");
  const rp::node x = net.input({3, 2}) | nn::flatten{};
  const rp::node a = x | nn::dense{.units = 6} | nn::sigmoid{};
  const rp::node b = rp::add(x, a | nn::dense{.units = 6, .bias = false} | nn::tanh{});
  const rp::node c = rp::add(b, b | nn::leaky_relu{.slope = 0.1} | nn::dense{.units = 6} | nn::hard_sigmoid{});
  const rp::node d = rp::add(rp::add(c, c), rp::add(a, c) | nn::relu{});
  CHECK(worst_slope(net, d | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, labels, 30) < 1e-6);
}

TEST_CASE("dense along the innermost extent, mean squared error") {
  rp::graph net("pixels");
  const rp::node y = net.input({2, 3}) | nn::dense{.units = 4} | nn::tanh{} | nn::dense{.units = 2};
  CHECK(worst_slope(net, y, nn::mse{}, random_values(5 * 4, 2), 30) < 1e-6);
}

TEST_CASE("binary cross-entropy on logits") {
  rp::graph net("binary");
  const rp::node y = net.input({4}) | nn::dense{.units = 5} | nn::sigmoid{} | nn::dense{.units = 1};
  const double targets[] = {0, 1, 1, 0, 1};
  CHECK(worst_slope(net, y, nn::binary_cross_entropy{}, targets, 20) < 1e-6);
}

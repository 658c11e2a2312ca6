// SPDX-License-Identifier: MIT
// A fused activation is the one that follows the layer in the graph.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/near.hpp"
#include "support/random_tensor.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

/// Returns `y` for x, with random parameters.
std::vector<double> answer_of(const rp::graph& net, const rp::node& y, const rp::tensor<double>& x) {
  auto session = net.compile<double>(rp::reference, y, {.batch = 2});
  std::uint64_t seed = 0;
  for (const auto& p : session.answering().made().parameters) {
    const auto values = random_tensor(p.spec.extents, ++seed, -3, 3);
    session.set_parameter(p.name, values.values());
  }
  std::vector<double> answer(static_cast<std::size_t>(2 * y.extents().size()));
  session.run(x.values(), answer);
  return answer;
}

/// Checks that z | what, computed in one call, is f(z), with values below 0 and above 6.
template <class Layer, class Activation, class F>
void is_absorbed(const rp::shape& extents, const Layer& layer, const Activation& what, const F& f) {
  CAPTURE(Layer::name);
  CAPTURE(Activation::name);
  rp::graph net("absorbed");
  const rp::node x = net.input(extents), z = x | layer, y = x | layer | what;
  CHECK(rp::plan_session(net, std::span(&y, 1)).plan.calls.size() ==
        rp::plan_session(net, std::span(&z, 1)).plan.calls.size());
  const auto input = random_tensor({2 * extents.size()}, 5);
  const std::vector<double> plain = answer_of(net, z, input), got = answer_of(net, y, input);
  const auto [least, most] = std::minmax_element(plain.begin(), plain.end());
  REQUIRE(*least < -1);
  REQUIRE(*most > 7);
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == near(f(plain[i]), 1e-13));
}
template <class Layer>
void absorbs_activations(const rp::shape& extents, const Layer& layer) {
  is_absorbed(extents, layer, nn::relu{}, [](double z) { return std::max(z, 0.0); });
  is_absorbed(extents, layer, nn::relu6{}, [](double z) { return std::clamp(z, 0.0, 6.0); });
  is_absorbed(extents, layer, nn::sigmoid{}, [](double z) { return 1 / (1 + std::exp(-z)); });
  is_absorbed(extents, layer, nn::tanh{}, [](double z) { return std::tanh(z); });
}

}  // namespace

TEST_CASE("a fused activation is the one that follows the layer") {
  const nn::conv2d convolution{.filters = 4, .kernel = 3, .groups = 2};
  absorbs_activations({6, 5, 4}, convolution);
  is_absorbed({6, 5, 4}, convolution, nn::leaky_relu{.slope = 0.3}, [](double z) { return z > 0 ? z : 0.3 * z; });
  absorbs_activations({6, 5, 4}, nn::conv2d_transposed{.filters = 3, .kernel = 3, .stride = 2});
  absorbs_activations({20}, nn::dense{.units = 7});
}

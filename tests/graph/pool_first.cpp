// SPDX-License-Identifier: MIT
// A max pooling is exchanged with the activation before it: training stays bitwise the same.
#include <ridgepoint/graph/graph_passes.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/random_tensor.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

/// An activation that no other layer can fuse.
template <rp::activation F>
struct kept {
  static constexpr std::string_view name = to_string(F);
  [[nodiscard]] rp::shape output(const rp::shape& in) const { return in; }
  void forward(rp::lowering& to) const { rp::detail::lower_activation(to, to.input(), F); }
  void backward(rp::lowering& to) const {
    if (to.needs_input_gradient()) rp::detail::lower_activation_backward(to, to.input_gradient(), F);
  }
};

/// Multiples of 1/2, so that sums of products are often equal: ties on both sides of 0 and beyond 6.
double half(rp::random_stream& random, rp::fan) { return std::trunc(random.uniform(-4, 4)) / 2; }

const nn::conv2d few_halves{.filters = 3, .kernel = 2, .initial = half, .initial_bias = half};

/// Returns every parameter after some steps.
template <class Activation>
std::vector<double> trained(const nn::max_pool& pool, bool normalised) {
  rp::graph net("pools");
  rp::node y = net.input({7, 6, 2}) | nn::conv2d{.filters = 3, .kernel = 1, .initial = half} | few_halves;
  if (normalised) y = y | nn::batch_norm{};
  y = y | Activation{} | pool | nn::flatten{} | nn::dense{.units = 4};
  auto trainer =
      net.train<double>(rp::reference, y, nn::mse{}, nn::sgd{.learning_rate = 1.0 / 1024}, {.batch = 4, .seed = 7});
  auto x = random_tensor({4 * 7 * 6 * 2}, 3, -3, 3);
  for (double& value : x.values()) value = std::trunc(value);
  const auto target = random_tensor({4 * 4}, 4);
  for (int step = 0; step < 3; ++step) static_cast<void>(trainer.step(x.values(), target.values()));
  std::vector<double> all;
  for (const char* name : {"conv2d_1.w", "conv2d_1.b", "conv2d_2.w", "conv2d_2.b", "dense_1.w", "dense_1.b"}) {
    const rp::tensor<double> values = trainer.parameter(name);
    all.insert(all.end(), values.values().begin(), values.values().end());
  }
  return all;
}
template <class Layer, rp::activation F>
void learns_alike() {
  CAPTURE(Layer::name);
  for (const bool normalised : {false, true})
    for (const nn::max_pool& pool : {nn::max_pool{}, nn::max_pool{.window = 3, .stride = 2, .padding = nn::same},
                                     nn::max_pool{.window = 3, .stride = 1}})
      CHECK(trained<Layer>(pool, normalised) == trained<kept<F>>(pool, normalised));
}

/// Op and shape of every call of a pass.
std::string calls_of(const rp::plan& plan, rp::pass which) {
  std::string all;
  for (const rp::planned_call& call : plan.calls)
    if (call.info.pass == which) all += rp::concat(all.empty() ? "" : ", ", call.info.layer, ' ', call.op->name);
  return all;
}
std::string learning_calls(const rp::graph& net, const rp::node& y, rp::pass which) {
  return calls_of(rp::plan_training(net, y, nn::mse{}, nn::sgd{}).plan, which);
}

}  // namespace

TEST_CASE("training with a max pooling that fuses an activation is bitwise the same, including ties") {
  learns_alike<nn::relu, rp::activation::relu>();
  learns_alike<nn::relu6, rp::activation::relu6>();
}

TEST_CASE("in training a convolution leaves its activation to the max pooling, in inference it does not") {
  rp::graph net("exchanged");
  const rp::node y = net.input({6, 6, 2}) | few_halves | few_halves | nn::relu{} | nn::max_pool{};
  CHECK(learning_calls(net, y, rp::pass::forward)
            .starts_with("conv2d_1 conv2d, conv2d_2 conv2d, max_pool_1 "
                         "max_pool2d, max_pool_1 activate"));
  CHECK(learning_calls(net, y, rp::pass::backward_data) ==
        "max_pool_1 activate_backward, max_pool_1 max_pool2d_backward, conv2d_2 conv2d_backward_data");
  CHECK(calls_of(rp::plan_session(net, std::span(&y, 1)).plan, rp::pass::forward) ==
        "conv2d_1 conv2d, conv2d_2 conv2d, max_pool_1 max_pool2d");
}

TEST_CASE("an activation layer is exchanged if only a max pooling reads it") {
  rp::graph net("layers");
  const rp::node x = net.input({6, 6, 2}), y = x | nn::relu{} | nn::max_pool{};
  const auto made = rp::plan_session(net, std::span(&y, 1));
  CHECK(calls_of(made.plan, rp::pass::forward) == "max_pool_1 max_pool2d, max_pool_1 activate");
  CHECK(made.plan.calls.back().info.shape == "1x3x3x2");
  auto session = net.compile<double>(rp::reference, y, {.batch = 1});
  std::vector<double> in(72, -1), out(18);
  in[0] = 3, in[5] = std::numeric_limits<double>::quiet_NaN();
  session.run(in, out);
  CHECK(out[0] == 3);
  CHECK(std::isnan(out[3]));
  CHECK(out[1] == 0);
}

TEST_CASE("an activation stays if another layer reads it, or if its gradient would take another path") {
  rp::graph net("stays");
  const rp::node conv = net.input({6, 6, 2}) | few_halves, read_twice = conv | nn::relu{};
  const rp::node pooled = read_twice | nn::max_pool{.window = 1, .stride = 1};
  CHECK(learning_calls(net, rp::add(read_twice, pooled), rp::pass::forward)
            .starts_with("conv2d_1 conv2d, max_pool_1 "
                         "max_pool2d, add_1 add"));
  for (const rp::node& other : {conv | nn::leaky_relu{}, conv | nn::tanh{}, conv | nn::sigmoid{}}) {
    const rp::node y = other | nn::max_pool{};
    CHECK(learning_calls(net, y, rp::pass::forward).find("activate") == std::string::npos);
  }
  const rp::node mean = conv | nn::relu6{} | nn::avg_pool{};
  CHECK(learning_calls(net, mean, rp::pass::forward).find("activate") == std::string::npos);
}

TEST_CASE("a max pooling applies no activation that needs a parameter") {
  rp::graph net("refused");
  const rp::node x = net.input({6, 6, 2});
  CHECK_THROWS_WITH_AS(static_cast<void>(x | nn::max_pool{.act = rp::activation::leaky_relu}),
                       doctest::Contains("max_pool: activation is leaky_relu; must be none, relu"), rp::value_error);
}

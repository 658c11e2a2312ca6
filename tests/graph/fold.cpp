// SPDX-License-Identifier: MIT
// Fusions of a session: outputs stay the same, calls are removed.
#include <ridgepoint/graph/graph_passes.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/imagenet.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/near.hpp"
#include "support/random_tensor.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;
using rp::index_t;

namespace {

/// Layer and op of every call.
std::string calls_of(const rp::plan& plan) {
  std::string all;
  for (const rp::planned_call& call : plan.calls)
    all += rp::concat(all.empty() ? "" : ", ", call.info.layer, ' ', call.op->name);
  return all;
}
std::string calls_of(const rp::graph& net, const rp::node& y, const rp::compile_options& options = {}) {
  return calls_of(rp::plan_session(net, std::span(&y, 1), options).plan);
}

rp::node normalised(const rp::node& x, index_t filters, nn::conv2d conv = {}) {
  conv.filters = filters, conv.kernel = 3, conv.padding = nn::same;
  return x | conv | nn::batch_norm{.epsilon = 1e-4};
}
/// A residual block with a projection, depthwise filters, groups and a dense layer: all layers that can be folded.
rp::node block(rp::graph& net) {
  const rp::node x = net.input({6, 5, 4});
  const rp::node shortcut = x | nn::conv2d{.filters = 6, .kernel = 1, .bias = false} | nn::batch_norm{};
  rp::node y = normalised(x, 8, {.groups = 2, .bias = false}) | nn::relu{};
  y = rp::add(shortcut, normalised(y, 6)) | nn::leaky_relu{.slope = 0.2};
  y = rp::add(y, normalised(y, 6)) | nn::relu6{};
  y = y | nn::depthwise_conv2d{.multiplier = 2, .kernel = 3} | nn::batch_norm{} | nn::relu{};
  return y | nn::flatten{} | nn::dense{.units = 5} | nn::batch_norm{} | nn::sigmoid{} | nn::dense{.units = 3};
}

/// Sets plausible trained parameters, including moving statistics: positive, since variances are.
template <class Session>
void set_parameters(Session& session, std::uint64_t seed) {
  for (const auto& p : session.answering().made().parameters) {
    const auto values = random_tensor({p.spec.extents.size()}, ++seed, 0.2, 1.3);
    session.set_parameter(p.name, values.values());
  }
}
template <class Session>
std::vector<double> answer(const Session& session, index_t inputs, index_t outputs) {
  const auto x = random_tensor({inputs}, 99);
  std::vector<double> y(static_cast<std::size_t>(outputs));
  session.run(x.values(), y);
  return y;
}

template <class Backend>
void answers_alike(const Backend& on) {
  rp::graph net("block");
  const rp::node y = block(net);
  auto folded = net.template compile<double>(on, y, {.batch = 2}),
       plain = net.template compile<double>(on, y, {.batch = 2, .fold = false});
  for (const std::uint64_t seed : {1U, 2U}) {
    set_parameters(folded, seed), set_parameters(plain, seed);
    const auto got = answer(folded, 2 * 6 * 5 * 4, 2 * 3), want = answer(plain, 2 * 6 * 5 * 4, 2 * 3);
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == near(want[i], 1e-11));
  }
}

}  // namespace

TEST_CASE("a session with folding computes the same as one without, whenever parameters change") {
  answers_alike(rp::reference);
  answers_alike(rp::cpu(2));
}

TEST_CASE("normalisations, sums and activations are removed from a session's plan, parameters are not") {
  rp::graph net("block");
  const rp::node y = block(net);
  CHECK(calls_of(net, y) ==
        "conv2d_1 conv2d, conv2d_2 conv2d, conv2d_3 conv2d, conv2d_4 conv2d, "
        "depthwise_conv2d_1 depthwise_conv2d, relu_2 activate, dense_1 dense, dense_2 dense");
  const rp::compiled made = rp::plan_session(net, std::span(&y, 1)), plain = rp::plan_inference(net, y);
  CHECK(made.plan.parameter_calls.size() == 6);
  REQUIRE(made.parameters.size() == plain.parameters.size());
  for (const auto& p : plain.parameters)
    CHECK(std::ranges::any_of(made.parameters, [&](const auto& other) { return other.name == p.name; }));
  CHECK(made.plan.receipt().matrix_flop == plain.plan.receipt().matrix_flop);
  CHECK(made.plan.bytes(rp::memory_region::arena) <= plain.plan.bytes(rp::memory_region::arena));
}

TEST_CASE("a session computes with trained parameters") {
  rp::graph net("trained");
  const rp::node y = block(net);
  auto trainer = net.train<double>(rp::reference, y, nn::mse{}, nn::sgd{.learning_rate = 0.01}, {.batch = 2});
  const auto x = random_tensor({2 * 6 * 5 * 4}, 1), target = random_tensor({2 * 3}, 2);
  for (int step = 0; step < 3; ++step) static_cast<void>(trainer.step(x.values(), target.values()));
  auto session = net.compile<double>(rp::reference, y, {.batch = 2});
  session.load(trainer);
  std::vector<double> got(6);
  session.run(x.values(), got);
  auto plain = net.compile<double>(rp::reference, y, {.batch = 2, .fold = false});
  plain.load(trainer);
  std::vector<double> want(6);
  plain.run(x.values(), want);
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == near(want[i], 1e-11));
}

TEST_CASE("nothing is folded if its input has other readers or follows an activation or a sum") {
  rp::graph net("separate");
  const rp::node x = net.input({5, 5, 3});
  const rp::node conv = x | nn::conv2d{.filters = 3, .kernel = 1};
  CHECK(calls_of(net, rp::add(conv | nn::batch_norm{}, conv)) ==
        "conv2d_1 conv2d, batch_norm_1 batch_norm_inference, add_1 add");
  const rp::node ends[] = {conv, conv | nn::batch_norm{}};
  CHECK(calls_of(rp::plan_session(net, ends).plan) == "conv2d_1 conv2d, batch_norm_2 batch_norm_inference");
  CHECK(calls_of(net, conv | nn::relu{} | nn::batch_norm{}) == "conv2d_1 conv2d, batch_norm_3 batch_norm_inference");
  CHECK(calls_of(net, conv | nn::batch_norm{} | nn::batch_norm{}) ==
        "conv2d_1 conv2d, batch_norm_5 batch_norm_inference");
  CHECK(calls_of(net, rp::add(x, conv) | nn::batch_norm{}) == "conv2d_1 conv2d, batch_norm_6 batch_norm_inference");
  CHECK(calls_of(net, rp::add(conv, conv)) == "conv2d_1 conv2d, add_3 add");
  const rp::node two = rp::add(rp::add(x, conv), x | nn::relu{});
  CHECK(calls_of(net, two) == "conv2d_1 conv2d, relu_2 activate, add_5 add");
}

TEST_CASE("nothing is folded if folding is off, in bfloat16, or in training") {
  rp::graph net("unfolded");
  const rp::node y = net.input({4, 4, 2}) | nn::conv2d{.filters = 3, .kernel = 1} | nn::batch_norm{};
  const std::string separate = "conv2d_1 conv2d, batch_norm_1 batch_norm_inference";
  CHECK(calls_of(net, y) == "conv2d_1 conv2d");
  CHECK(calls_of(net, y, {.fold = false}) == separate);
  CHECK(calls_of(rp::plan_inference(net, y).plan) == separate);
  CHECK(calls_of(net, y, {.precision = rp::precision::bf16}).find("batch_norm_inference") != std::string::npos);
}

TEST_CASE("MobileNet v1, folded, gives the same output as with its 27 normalisations") {
  rp::graph net("mobilenet-v1");
  const rp::node logits = rp::models::mobilenet_v1::build(net);
  auto folded = net.compile<float>(rp::cpu(1), logits, {.batch = 1}),
       plain = net.compile<float>(rp::cpu(1), logits, {.batch = 1, .fold = false});
  const auto normalisations = [&](const rp::compile_options& options) {
    index_t count = 0;
    for (const rp::planned_call& call : rp::plan_session(net, std::span(&logits, 1), options).plan.calls)
      count += call.op->name.starts_with("batch_norm") ? 1 : 0;
    return count;
  };
  CHECK(normalisations({}) == 0);
  CHECK(normalisations({.fold = false}) == 27);
  for (const auto& p : plain.answering().made().parameters) {
    if (p.name.find("batch_norm") == std::string::npos) continue;
    const bool is_variance = p.name.ends_with("variance");
    const auto values = random_tensor<float>({p.spec.extents.size()}, 7, is_variance ? 0.5 : -0.1, 1.0);
    folded.set_parameter(p.name, values.values()), plain.set_parameter(p.name, values.values());
  }
  folded.load(plain);
  const auto image = random_tensor<float>({224 * 224 * 3}, 5);
  std::vector<float> got(1000), want(1000);
  folded.run(image.values(), got), plain.run(image.values(), want);
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    largest = std::max(largest, std::abs(double{want[i]}));
    error = std::max(error, std::abs(double{got[i]} - double{want[i]}));
  }
  CHECK(largest > 1e-3);
  CHECK(error <= 1e-4 * largest);
}

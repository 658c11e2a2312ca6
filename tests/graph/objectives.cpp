// SPDX-License-Identifier: MIT
// Several losses, micro-batches, shared parameters, and state carried from step to step.
#include <doctest/doctest.h>

#include <cmath>

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/summary.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/near.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

constexpr rp::index_t samples = 8;

/// Samples of `each` values in [-1, 1).
std::vector<double> draws(rp::index_t each, std::uint64_t seed, rp::index_t count = samples) {
  rp::random_stream random(seed, 1);
  std::vector<double> values(static_cast<std::size_t>(count * each));
  for (double& v : values) v = random.uniform(-1, 1);
  return values;
}
const std::vector<std::int32_t> kinds{0, 2, 1, 1, 0, 2, 2, 0};

/// A trunk with a classification head and a reconstruction head.
struct two_heads {
  rp::graph net{"heads"};
  rp::node x = net.input({5}), hidden = x | nn::dense{.units = 4} | nn::tanh{}, kind = hidden | nn::dense{.units = 3},
           copy = hidden | nn::dense{.units = 5};
  [[nodiscard]] auto trainer(double first = 1, double second = 0.25, double rate = 0) const {
    return net.train<double>(rp::reference, {{kind, nn::softmax_cross_entropy{}, first}, {copy, nn::mse{}, second}},
                             nn::sgd{.learning_rate = rate}, {.batch = samples, .seed = 9});
  }
};

/// Checks the gradient of the last step against central differences of the loss, for some elements of a parameter.
template <class Trainer, class Loss>
void check_slopes(Trainer& trainer, const char* name, const Loss& loss) {
  const rp::tensor<double> gradient = trainer.gradient(name), before = trainer.parameter(name);
  for (rp::index_t i = 0; i < gradient.size(); i += 3) {
    constexpr double h = 1e-5;
    const auto at = [&](double shift) {
      rp::tensor<double> moved = before;
      moved[i] += shift;
      trainer.set_parameter(name, moved.values());
      return loss();
    };
    const double slope = (at(h) - at(-h)) / (2 * h);
    trainer.set_parameter(name, before.values());
    CHECK(gradient[i] == near(slope, 1e-6));
  }
}

template <class Trainer>
std::vector<double> values_of(const Trainer& trainer, const char* name) {
  const rp::tensor<double> held = trainer.parameter(name);
  return {held.values().begin(), held.values().end()};
}

}  // namespace

TEST_CASE("several losses: training minimises the weighted sum, each is reported alone") {
  const two_heads of;
  auto trainer = of.trainer();
  const auto x = draws(5, 1);
  const double loss = trainer.step(x, {kinds, x});
  REQUIRE(trainer.judged().size() == 2);
  const rp::judgement kind = trainer.judged()[0], copy = trainer.judged()[1];
  CHECK(loss == near(kind.loss + 0.25 * copy.loss, 1e-15));
  CHECK(kind.labels == samples);
  CHECK(kind.correct <= samples);
  CHECK(copy.labels == 0);

  const rp::evaluation judged = trainer.evaluate(x, {kinds, x});
  CHECK(judged.loss == near(loss, 1e-14));
  REQUIRE(judged.each.size() == 2);
  CHECK(judged.each[0].loss == near(kind.loss, 1e-14));
  CHECK(judged.each[0].correct == kind.correct);
  CHECK(judged.each[1].loss == near(copy.loss, 1e-14));
  CHECK(judged.labels == samples);

  for (const char* name : {"dense_1.w", "dense_1.b", "dense_2.w", "dense_3.b"})
    check_slopes(trainer, name, [&] { return trainer.evaluate(x, {kinds, x}).loss; });
}

TEST_CASE("an output may have several losses, and be read by a layer too") {
  rp::graph net("both");
  const rp::node x = net.input({3}), y = x | nn::dense{.units = 3}, z = y | nn::relu{} | nn::dense{.units = 2};
  auto trainer =
      net.train<double>(rp::reference, {{y, nn::mse{}}, {y, nn::binary_cross_entropy{}, 0.5}, {z, nn::mse{}}},
                        nn::sgd{.learning_rate = 0}, {.batch = samples});
  auto u = draws(3, 4), v = draws(2, 5);
  for (double& each : u) each = std::abs(each);
  const auto loss = [&] { return trainer.evaluate(u, {u, u, v}).loss; };
  CHECK(trainer.step(u, {u, u, v}) == near(loss(), 1e-14));
  check_slopes(trainer, "dense_1.w", loss);
}

TEST_CASE("a summary of several losses has the layers of all outputs, and all micro-batches") {
  const two_heads of;
  const rp::network_summary s = of.net.summary({{of.kind, nn::softmax_cross_entropy{}}, {of.copy, nn::mse{}}},
                                               nn::adam{}, {.batch = 4, .micro_batches = 3});
  CHECK(s.layers.size() == of.net.nodes().size());
  CHECK(s.batch == 12);
  CHECK(s.total().parameters == (5 * 4 + 4) + (4 * 3 + 3) + (4 * 5 + 5));
  CHECK(s.memory.bytes(rp::memory_region::gradients) >= 64 * sizeof(float));
}

TEST_CASE("a list of one loss is that loss") {
  const two_heads of;
  auto listed = of.net.train<double>(rp::reference, {{of.kind, nn::softmax_cross_entropy{}}}, nn::adam{},
                                     {.batch = samples, .seed = 2}),
       alone = of.net.train<double>(rp::reference, of.kind, nn::softmax_cross_entropy{}, nn::adam{},
                                    {.batch = samples, .seed = 2});
  const auto x = draws(5, 1);
  for (int i = 0; i < 3; ++i) CHECK(listed.step(x, kinds) == alone.step(x, kinds));
  CHECK(values_of(listed, "dense_1.w") == values_of(alone, "dense_1.w"));
  CHECK(listed.plan().calls.size() == alone.plan().calls.size());
}

TEST_CASE("fit() learns several losses from targets of each, and predict() returns any node") {
  const two_heads of;
  auto trainer = of.trainer(1, 1, 0.2);
  const auto x = draws(5, 1);
  const double before = trainer.evaluate(x, {kinds, x}).loss;
  rp::index_t seen = 0;
  trainer.fit(x, {kinds, x}, {.epochs = 60}, [&](const rp::progress& p) {
    CHECK(p.each.size() == 2);
    ++seen;
    return true;
  });
  CHECK(seen == 60);
  CHECK(trainer.evaluate(x, {kinds, x}).loss < 0.6 * before);
  const rp::tensor<double> copies = trainer.predict(of.copy, x), logits = trainer.predict(x),
                           features = trainer.predict(of.hidden, x);
  CHECK(copies.shape() == rp::shape{samples, 5});
  CHECK(logits.shape() == rp::shape{samples, 3});
  CHECK(features.shape() == rp::shape{samples, 4});
  double squares = 0;
  for (rp::index_t i = 0; i < copies.size(); ++i) {
    const double gap = copies[i] - x[static_cast<std::size_t>(i)];
    squares += gap * gap / static_cast<double>(copies.size());
  }
  CHECK(squares == near(trainer.evaluate(x, {kinds, x}).each[1].loss, 1e-12));
  CHECK(std::abs(features[0]) < 1);

  CHECK_THROWS_WITH_AS(trainer.step(x, kinds), "step: targets for 1 losses; the network has 2", rp::shape_error);
  CHECK_THROWS_WITH_AS(trainer.fit(x, kinds), "samples: targets for 1 losses; the network has 2", rp::shape_error);
  CHECK_THROWS_WITH_AS(trainer.fit(x, {kinds, draws(5, 1, 7)}),
                       "samples: targets of loss 1 for 7 samples; must be for 8, as for loss 0", rp::shape_error);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(of.net.train<double>(rp::reference, {{of.kind, nn::mse{}, std::nan("")}}, nn::sgd{})),
      doctest::Contains("weight is nan; must be finite"), rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(trainer.predict(of.x | nn::relu{}, x)), doctest::Contains("has no such node"),
                       rp::value_error);
}

TEST_CASE("micro-batches: one update for the mean over all of them") {
  const two_heads of;
  const auto train = [&](rp::index_t batch, rp::index_t parts) {
    return of.net.train<double>(rp::reference, {{of.kind, nn::softmax_cross_entropy{}}, {of.copy, nn::mse{}, 0.5}},
                                nn::adam{.learning_rate = 0.01}, {.batch = batch, .seed = 3, .micro_batches = parts});
  };
  auto whole = train(8, 1), parts = train(2, 4);
  const auto x = draws(5, 1);
  CHECK(parts.learning().made().batch == 8);
  for (int i = 0; i < 3; ++i) {
    const double a = whole.step(x, {kinds, x}), b = parts.step(x, {kinds, x});
    CHECK(a == near(b, 1e-13));
    CHECK(whole.judged()[0].correct == parts.judged()[0].correct);
    CHECK(parts.judged()[0].labels == 8);
  }
  CHECK(parts.steps_done() == 3);
  // Sums of up to 8 terms in another order: each gradient is off by up to γ(16) times the sum of its addends.
  const rp::tensor<double> g = whole.gradient("dense_1.w"), h = parts.gradient("dense_1.w");
  for (rp::index_t i = 0; i < g.size(); ++i) CHECK(g[i] == near(h[i], 1e-12));
  CHECK(parts.fit(x, {kinds, x}).complete);  // one batch of 8
  CHECK(parts.plan().bytes(rp::memory_region::gradients) == whole.plan().bytes(rp::memory_region::gradients));
  CHECK(parts.plan().bytes(rp::memory_region::arena) < whole.plan().bytes(rp::memory_region::arena) * 2);
  CHECK_THROWS_WITH_AS(train(2, 0), "compile: micro_batches is 0; must be >= 1", rp::value_error);
}

TEST_CASE("micro-batches draw their own dropout, and a loss that is not finite updates nothing") {
  rp::graph net("drop");
  const rp::node y = net.input({64}) | nn::dropout{.rate = 0.5F} | nn::dense{.units = 1, .bias = false};
  auto trainer = net.train<double>(rp::reference, y, nn::mse{}, nn::sgd{.learning_rate = 0.01},
                                   {.batch = 1, .seed = 3, .micro_batches = 2});
  const std::vector<double> ones(128, 1), weights(64, 1), zeros(2, 0);
  trainer.set_parameter("dense_1.w", weights);
  trainer.step(ones, zeros);
  const rp::tensor<double> gradient = trainer.gradient("dense_1.w");  // zero where both parts dropped the input
  int in_one = 0;
  double least = 1e9;
  for (const double g : gradient.values())
    if (g > 0) least = std::min(least, g);
  for (const double g : gradient.values()) in_one += g > 0 && g < 1.9 * least ? 1 : 0;
  CHECK(in_one > 16);  // half of the inputs are kept by only one part

  const std::vector<double> before = values_of(trainer, "dense_1.w");
  std::vector<double> broken = ones;
  broken[100] = std::nan("");
  CHECK_THROWS_WITH_AS(trainer.step(broken, zeros), doctest::Contains("input_1 holds nan in sample 1 of the batch"),
                       rp::value_error);
  CHECK(values_of(trainer, "dense_1.w") == before);
}

TEST_CASE("a shared layer has one set of parameters, and the sum of its gradients") {
  rp::graph net("tied");
  const auto tied = rp::shared(nn::dense{.units = 4});
  const rp::node a = net.input({3}), b = net.input({3});
  const rp::node left = a | tied | nn::tanh{}, right = b | tied | nn::tanh{};
  const rp::node y = rp::add(left, right) | nn::dense{.units = 1};
  auto trainer = net.train<double>(rp::reference, y, nn::mse{}, nn::sgd{.learning_rate = 0}, {.batch = samples});
  CHECK(trainer.learning().made().trainable_size() == 3 * 4 + 4 + 4 + 1);
  const auto u = draws(3, 1), v = draws(3, 2), target = draws(1, 3);
  trainer.step({u, v}, target);
  const auto loss = [&] { return trainer.evaluate({u, v}, target).loss; };
  check_slopes(trainer, "dense_1.w", loss);
  check_slopes(trainer, "dense_1.b", loss);
  CHECK_THROWS_AS(static_cast<void>(trainer.parameter("dense_2.w")), rp::value_error);

  const auto updates = [](const rp::plan& plan) {
    int count = 0;
    for (const rp::planned_call& call : plan.calls) count += call.op->name.starts_with("sgd_update") ? 1 : 0;
    return count;
  };
  CHECK(updates(trainer.plan()) == 2);
  CHECK_THROWS_WITH_AS(static_cast<void>(net.input({5}) | tied),
                       "dense_1: w is 3x4 and shared, but would be 5x4 here; must be the same wherever it is applied",
                       rp::shape_error);
  const auto in_parts = [&](rp::index_t batch, rp::index_t parts) {
    auto other = net.train<double>(rp::reference, y, nn::mse{}, nn::sgd{.learning_rate = 0.1},
                                   {.batch = batch, .micro_batches = parts});
    other.step({u, v}, target);
    return values_of(other, "dense_1.w");
  };
  const auto whole = in_parts(8, 1), halves = in_parts(4, 2);
  for (std::size_t i = 0; i < whole.size(); ++i) CHECK(whole[i] == near(halves[i], 1e-13));
}

TEST_CASE("carried state lasts from step to step, until it is reset") {
  rp::graph net("carry");
  const rp::node y = net.input({1}) | nn::dense{.units = 1, .bias = false} | toy::running_sum{};
  auto trainer = net.train<double>(rp::reference, y, nn::mse{}, nn::sgd{.learning_rate = 0}, {.batch = 2});
  const double one[] = {1}, x[] = {1, 2}, zero[] = {0, 0}, four[] = {1, 2, 3, 4};
  trainer.set_parameter("dense_1.w", one);
  CHECK(trainer.step(x, zero) == (1 + 4) / 2.0);
  CHECK(trainer.step(x, zero) == (4 + 16) / 2.0);
  CHECK(trainer.evaluate(x, zero).loss == (1 + 4) / 2.0);  // starts afresh each time
  CHECK(trainer.evaluate(x, zero).loss == (1 + 4) / 2.0);
  const rp::tensor<double> answers = trainer.predict(four);  // two batches, one after the other
  CHECK(answers[2] == 1 + 3);
  CHECK(answers[3] == 2 + 4);
  CHECK(trainer.step(x, zero) == (9 + 36) / 2.0);
  trainer.reset_state();
  CHECK(trainer.step(x, zero) == (1 + 4) / 2.0);
}

// SPDX-License-Identifier: MIT
// Networks that store float16: they learn as in float, since the loss is scaled so that gradients fit.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/checkpoint.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/near.hpp"
#include "support/temporary_directory.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;
using rp::precision;

namespace {

constexpr auto in_halves = rp::ops_of<precision::f16>{};

/// A network without dropout, which depends on the step.
rp::node plain(rp::graph& net) { return net.input({6}) | nn::dense{.units = 16} | nn::relu{} | nn::dense{.units = 3}; }
auto half_trainer(rp::compile_options options = {}) {
  rp::graph net("halves");
  options.batch = 32, options.seed = 7, options.precision = precision::f16;
  return net.train<float>(rp::reference, plain(net), nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.002},
                          options, in_halves);
}
using training_core = decltype(half_trainer());

/// The first batch of a data set.
struct batch_of {
  explicit batch_of(const rp::dataset& data) : x(static_cast<std::size_t>(32 * data.sample_shape().size())), y(32) {
    std::vector<rp::index_t> rows(32);
    std::iota(rows.begin(), rows.end(), rp::index_t{0});
    data.gather(rows, x.data(), y.data());
  }
  std::vector<float> x;
  std::vector<std::int32_t> y;
};

std::vector<float> weights(const training_core& of) {
  std::vector<float> all;
  for (const auto& p : of.learning().made().parameters) {
    const rp::tensor<float> values = of.parameter(p.name);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

/// A network with one weight and one number, with squared error.
auto line(float w, rp::compile_options options = {}) {
  rp::graph net("line");
  options.batch = 1, options.precision = precision::f16;
  const rp::node y = net.input({1}) | nn::dense{.units = 1, .bias = false};
  auto trainer = net.train<float>(rp::reference, y, nn::mse{}, nn::sgd{.learning_rate = 1}, options, in_halves);
  trainer.set_parameter("dense_1.w", std::vector<float>{w});
  return trainer;
}
float weight(const auto& of) { return of.parameter("dense_1.w")[0]; }

}  // namespace

TEST_CASE("an MLP learns in float16 as in float, with normalisations and losses in float") {
  const toy::corners points;
  const auto trained = [&]<precision P>(std::integral_constant<precision, P>) {
    rp::graph net("network");
    const rp::node y = net.input({6}) | nn::dense{.units = 16} | nn::batch_norm{} | nn::relu{} | nn::dense{.units = 3};
    auto trainer = net.train<float>(rp::reference, y, nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.002},
                                    {.batch = 32, .seed = 7, .precision = P}, rp::ops_of<P>{});
    while (trainer.steps_done() < 200) trainer.fit(points);
    CHECK(trainer.skipped_steps() < 5);
    for (const rp::planned_call& call : trainer.plan().calls)
      if (call.op->name.starts_with("batch_norm") || call.op->name.starts_with("softmax") ||
          call.op->name.starts_with("adam"))
        CHECK(call.op->elements[0] == rp::element::f32);
    return trainer.evaluate(points).loss;
  };
  const double wide = trained(std::integral_constant<precision, precision::f32>());
  CHECK(wide < 0.9);
  CHECK(trained(std::integral_constant<precision, precision::f16>()) == near(wide, 0.005));
}

TEST_CASE("steps whose gradients are not finite are skipped until the loss scale fits, and do not count") {
  const batch_of batch{toy::corners()};
  auto high = half_trainer({.scaling = {.first = 0x1p40}});
  const std::vector<float> before = weights(high);
  rp::index_t skipped = 0;
  for (;; ++skipped) {
    high.step(batch.x, batch.y);
    if (weights(high) != before) break;
    CHECK(high.loss_scale() == std::ldexp(1.0, 39 - static_cast<int>(skipped)));
    REQUIRE(skipped < 40);
  }
  CHECK(skipped > 10);
  CHECK(high.skipped_steps() == static_cast<std::uint64_t>(skipped));
  CHECK(high.steps_done() == static_cast<std::uint64_t>(skipped) + 1);
  auto fitting = half_trainer({.scaling = {.first = high.loss_scale()}});
  fitting.step(batch.x, batch.y);
  for (int more = 0; more < 3; ++more) high.step(batch.x, batch.y), fitting.step(batch.x, batch.y);
  CHECK(weights(high) == weights(fitting));  // Adam's t is the number of updates
  CHECK(high.skipped_steps() == static_cast<std::uint64_t>(skipped));
}

TEST_CASE("the loss scale doubles after so many finite steps, and does not affect the weights") {
  const batch_of batch{toy::corners()};
  auto growing = half_trainer({.scaling = {.first = 256, .steps_to_grow = 3}}),
       steady = half_trainer({.scaling = {.first = 256}});
  for (const double scale : {256, 256, 512, 512, 512, 1024, 1024}) {
    growing.step(batch.x, batch.y), steady.step(batch.x, batch.y);
    CHECK(growing.loss_scale() == scale);
    CHECK(growing.gradient("dense_1.w").shape() == steady.gradient("dense_1.w").shape());
    bool same = true;
    for (rp::index_t i = 0; i < 16; ++i)
      same = same && std::fabs(growing.gradient("dense_1.w")[i] - steady.gradient("dense_1.w")[i]) < 1e-5F;
    CHECK(same);
  }
  bool same = true;
  const std::vector<float> grown = weights(growing), kept = weights(steady);
  for (std::size_t i = 0; i < grown.size(); ++i) same = same && std::fabs(grown[i] - kept[i]) < 1e-4F;
  CHECK(same);
}

TEST_CASE("the scale preserves gradients that float16 cannot represent") {
  const float x[] = {0x1p-12F}, target[] = {0};
  for (const double scale : {1.0, 65536.0}) {
    auto trainer = line(0x1p-6F, {.scaling = {.first = scale}});
    trainer.step(x, target);  // its gradient is 2·2⁻¹²·2⁻¹⁸
    CHECK((weight(trainer) != 0x1p-6F) == (scale > 1));
    CHECK(trainer.gradient("dense_1.w")[0] == (scale > 1 ? 0x1p-29F : 0.0F));
  }
}

TEST_CASE("the gradient norm is limited without the scale") {
  const float x[] = {4}, target[] = {0};
  auto trainer = line(1, {.clip_norm = 0.25, .scaling = {.first = 256}});
  trainer.step(x, target);  // 32, cut to 1/4
  CHECK(weight(trainer) == 0.75F);
  CHECK(trainer.gradient("dense_1.w")[0] == 32);
}

TEST_CASE("a loss that is not finite is an error and changes nothing, whatever its scale") {
  auto trainer = line(2, {.scaling = {.first = 256}});
  const float x[] = {std::numeric_limits<float>::quiet_NaN()}, target[] = {0};
  CHECK_THROWS_WITH_AS(trainer.step(x, target),
                       "step 1: loss is nan, input_1 holds nan in sample 0 of the batch; must be finite",
                       rp::value_error);
  CHECK(weight(trainer) == 2);
  CHECK(trainer.loss_scale() == 256);
  const float good[] = {1};
  trainer.step(good, target);
  CHECK(weight(trainer) == -2);
}

TEST_CASE("gradients that are not finite with a loss scale of 1 are an error") {
  auto trainer = line(1, {.scaling = {.first = 2}});
  const float x[] = {60000}, target[] = {0};  // a loss of 3.6e9, and a gradient of 7.2e9, beyond float16
  trainer.step(x, target);
  CHECK(trainer.loss_scale() == 1);
  trainer.step(x, target);
  CHECK(trainer.loss_scale() == 0.5);
  CHECK_THROWS_WITH_AS(
      trainer.step(x, target),
      "step 2: gradients are not finite even with a loss scale of 1 (steps skipped: 2); must be finite",
      rp::value_error);
  CHECK(weight(trainer) == 1);
}

TEST_CASE("training resumes from a checkpoint with its loss scale, bit for bit") {
  const temporary_directory folder;
  const batch_of batch{toy::corners()};
  const rp::compile_options options{.scaling = {.first = 0x1p30, .steps_to_grow = 4}};
  auto first = half_trainer(options), second = half_trainer(options);
  for (int i = 0; i < 19; ++i) first.step(batch.x, batch.y);
  CHECK(first.skipped_steps() > 0);
  CHECK(first.learning().state().finite_steps > 0);
  first.save(folder / "checkpoint");
  second.load(folder / "checkpoint");
  CHECK(second.loss_scale() == first.loss_scale());
  CHECK(second.skipped_steps() == first.skipped_steps());
  for (int i = 0; i < 5; ++i) first.step(batch.x, batch.y), second.step(batch.x, batch.y);
  CHECK(weights(second) == weights(first));
  CHECK(second.loss_scale() == first.loss_scale());
  first.set_learning_rate(0.5);
  CHECK(first.loss_scale() == second.loss_scale());
  CHECK(first.skipped_steps() == second.skipped_steps());
}

TEST_CASE("a checkpoint keeps its skipped steps through float, and its scale for a trainer that grows sooner") {
  const temporary_directory folder;
  const batch_of batch{toy::corners()};
  auto narrow = half_trainer({.scaling = {.first = 0x1p30}});
  for (int i = 0; i < 20; ++i) narrow.step(batch.x, batch.y);
  CHECK(narrow.learning().state().finite_steps > 2);
  narrow.save(folder / "narrow");
  auto sooner = half_trainer({.scaling = {.steps_to_grow = 2}});
  sooner.load(folder / "narrow");
  sooner.step(batch.x, batch.y);
  CHECK(sooner.loss_scale() == 2 * narrow.loss_scale());
  rp::graph net("wide");
  auto wide = net.train<float>(rp::reference, plain(net), nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.002},
                               {.batch = 32, .seed = 7});
  wide.load(folder / "narrow");
  CHECK(wide.skipped_steps() == narrow.skipped_steps());
  wide.save(folder / "wide");
  auto back = half_trainer();
  back.load(folder / "wide");
  CHECK(back.skipped_steps() == narrow.skipped_steps());
  CHECK(back.loss_scale() == 65536);
}

TEST_CASE("an invalid loss scale in a checkpoint is refused and changes nothing") {
  const temporary_directory folder;
  const batch_of batch{toy::corners()};
  auto trainer = half_trainer({.scaling = {.first = 128}}),
       other = half_trainer({.scaling = {.first = 256, .steps_to_grow = 2}});
  trainer.step(batch.x, batch.y), other.step(batch.x, batch.y);
  trainer.save(folder / "saved");
  const std::vector<float> before = weights(other);
  const auto load = [&](std::string_view what, const char* text) {
    rp::safetensors changed = rp::parse_safetensors(rp::read_file(folder / "saved", 1 << 20), "saved");
    for (auto& [key, value] : changed.metadata)
      if (key == what) value = text;
    rp::write_safetensors(folder / "changed", changed);
    other.load(folder / "changed");
  };
  const auto check_refused = [&](std::string_view what, const char* text) {
    CAPTURE(what);
    CAPTURE(text);
    CHECK_THROWS_AS(load(what, text), rp::data_error);
    CHECK(other.loss_scale() == 256);
    CHECK(other.learning().state().finite_steps == 1);
    CHECK(weights(other) == before);
  };
  for (const double beyond : {0x1p127, 0x1p-127}) check_refused("loss_scale", rp::number_text(beyond).c_str());
  for (const char* const scale : {"3", "0.75", "65537", "1e300", "-1", "-65536", "nan", "inf", "-inf", "1e400", ""})
    check_refused("loss_scale", scale);
  for (const char* const steps : {"-1", "1.5", "4294967296", "nan", ""}) check_refused("finite_steps", steps);
  load("loss_scale", "0");  // as from a trainer without loss scaling
  CHECK(other.loss_scale() == 256);
  CHECK(other.learning().state().finite_steps == 0);
  for (const double scale : {0.125, 0x1p126, 0x1p-126}) {
    load("loss_scale", rp::number_text(scale).c_str());
    CHECK(other.loss_scale() == scale);
  }
  for (const char* const steps : {"0", "1", "2", "3", "4294967294"}) {
    CAPTURE(steps);
    load("finite_steps", steps);
    const double scale = other.loss_scale();
    other.step(batch.x, batch.y);
    const bool grows = steps != std::string_view("0");
    CHECK(other.loss_scale() == (grows ? 2 : 1) * scale);
    CHECK(other.learning().state().finite_steps == (grows ? 0 : 1));
  }
}

TEST_CASE("micro-batches and frozen parameters learn in float16, too") {
  rp::graph net("parts");
  const rp::node y = plain(net);
  const batch_of batch{toy::corners()};
  const auto trained = [&](precision in, const auto& ops) {
    auto trainer = net.train<float>(rp::reference, y, nn::softmax_cross_entropy{}, nn::sgd{.learning_rate = 0.1},
                                    {.batch = 16,
                                     .seed = 7,
                                     .precision = in,
                                     .micro_batches = 2,
                                     .groups = {{.names = "dense_1.w", .frozen = true}}},
                                    ops);
    for (int i = 0; i < 5; ++i) trainer.step(batch.x, batch.y);
    return trainer.parameter("dense_2.w");
  };
  const rp::tensor<float> wide = trained(precision::f32, rp::ops_of<precision::f32>{}),
                          narrow = trained(precision::f16, in_halves);
  for (rp::index_t i = 0; i < wide.size(); ++i) CHECK(narrow[i] == near(wide[i], 0.02));
}

TEST_CASE("an invalid scale, and a backend without float16 ops, are refused before anything is allocated") {
  CHECK_THROWS_WITH_AS(half_trainer({.scaling = {.first = 3}}), "loss_scaling: first is 3; must be a power of two >= 1",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(half_trainer({.scaling = {.first = 0.5}}),
                       "loss_scaling: first is 0.5; must be a power of two >= 1", rp::value_error);
  CHECK_THROWS_WITH_AS(half_trainer({.scaling = {.steps_to_grow = 0}}),
                       "loss_scaling: steps_to_grow is 0; must be >= 1", rp::value_error);
  rp::graph net("none");
  const rp::node y = toy::mlp(net);
  CHECK_THROWS_AS(static_cast<void>(net.train<float>(rp::cpu(1), y, nn::softmax_cross_entropy{}, nn::adam{},
                                                     {.batch = 2, .precision = precision::f16})),
                  rp::unsupported);
}

// SPDX-License-Identifier: MIT
// Networks that store bfloat16: they learn as in float, with half the memory for activations.
#include <doctest/doctest.h>

#include <filesystem>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/summary.hpp>
#include <ridgepoint/reference/all.hpp>

#include "learning.hpp"
#include "support/near.hpp"
#include "support/temporary_directory.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;
using rp::memory_region;
using rp::precision;

TEST_CASE("an MLP and a CNN learn in bfloat16 as in float") {
  const toy::corners points;
  const toy::spots images;
  const double mlp = toy::trained<precision::f32>(rp::reference, toy::mlp, points),
               convolved = toy::trained<precision::f32>(rp::reference, toy::cnn, images);
  CHECK(mlp < 0.9);
  CHECK(convolved < 0.9);
  CHECK(toy::trained<precision::bf16>(rp::reference, toy::mlp, points) == near(mlp, 0.02));
  CHECK(toy::trained<precision::bf16>(rp::cpu(1), toy::mlp, points) == near(mlp, 0.02));
  CHECK(toy::trained<precision::bf16>(rp::reference, toy::cnn, images) == near(convolved, 0.02));
}

TEST_CASE("stored values take half the memory; master weights are float, with a rounded copy") {
  rp::graph net("memory");
  const rp::node y = toy::cnn(net);
  const auto plan = [&](precision in) {
    return rp::plan_training(net, y, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 64, .precision = in});
  };
  const rp::compiled half = plan(precision::bf16), full = plan(precision::f32);
  const auto bytes = [](const rp::compiled& made, memory_region r) { return static_cast<double>(made.plan.bytes(r)); };
  CHECK(bytes(half, memory_region::arena) < 0.53 * bytes(full, memory_region::arena));  // max_pool's bytes are bytes
  CHECK(bytes(half, memory_region::gradients) < 0.53 * bytes(full, memory_region::gradients));  // and boundaries
  CHECK(half.plan.bytes(memory_region::moments) == full.plan.bytes(memory_region::moments));
  CHECK(bytes(half, memory_region::parameters) == near(bytes(full, memory_region::parameters) * 1.5, 0.03));
  for (const rp::planned_parameter& p : half.parameters) CHECK(half.plan[p.values].type == rp::element::f32);
  CHECK(half.plan[half.outputs.front()].type == rp::element::bf16);
  CHECK(half.plan.parameter_calls.size() == half.blocks.size());
  CHECK(full.plan.parameter_calls.empty());
  CHECK(to_string(net.summary(y, {.batch = 2, .precision = precision::bf16})).find(" in bf16: ") != std::string::npos);
}

TEST_CASE("the next run uses weights that are set from outside") {
  auto trainer = toy::train<precision::bf16>(rp::reference, toy::mlp);
  const std::vector<float> x(12, 0.5F);
  const rp::tensor<float> w = trainer.parameter("dense_1.w"), before = trainer.predict(x);
  trainer.set_parameter("dense_2.w", std::vector<float>(48));
  trainer.set_parameter("dense_2.b", std::vector<float>{1, 2, 1.0F / 3});
  const rp::tensor<float> after = trainer.predict(x);
  CHECK((after[0] == 1 && after[1] == 2 && after[2] == static_cast<float>(rp::bfloat16(1.0F / 3))));
  CHECK(before[0] != after[0]);
  CHECK(trainer.parameter("dense_2.b")[2] == 1.0F / 3);  // kept in float
  bool rounded = true;
  for (const float v : w.values()) rounded = rounded && v == static_cast<float>(rp::bfloat16(v));
  CHECK_FALSE(rounded);
  const auto session = trainer.session({.batch = 2, .precision = precision::bf16});
  std::vector<float> answer(6);
  session.run(x, answer);
  CHECK(answer[5] == after[5]);
}

TEST_CASE("statistics and targets are not rounded") {
  rp::graph net("statistics");
  const rp::node y = net.input({2}) | nn::batch_norm{.epsilon = 1e-9, .momentum = 0.5} | nn::dense{.units = 1};
  auto trainer = net.train<float>(rp::reference, y, nn::mse{}, nn::sgd{}, {.batch = 2, .precision = precision::bf16},
                                  rp::ops_of<precision::bf16>{});
  const float x[] = {1, 10, 3, 10.0625F}, target[] = {1.0F / 3, 0};
  trainer.step(x, target);
  CHECK(trainer.parameter("batch_norm_1.moving_mean")[1] == 0.5F * 10.03125F);  // 10.03125 has more bits than bf16
  const rp::plan& steps = trainer.plan();
  for (const rp::planned_call& call : steps.calls)
    if (call.op->name.starts_with("batch_norm") || call.op->name.starts_with("mse") || call.op->name.starts_with("sgd"))
      CHECK(call.op->elements[0] == rp::element::f32);
  CHECK(steps[trainer.learning().made().losses[0].targets].type == rp::element::f32);
}

TEST_CASE("a checkpoint of one precision loads in another") {
  const temporary_directory folder;
  auto narrow = toy::train<precision::bf16>(rp::reference, toy::mlp);
  narrow.fit(toy::corners());
  narrow.save(folder / "checkpoint");
  narrow.save_parameters(folder / "parameters");
  rp::graph net("wide");
  const rp::node y = toy::mlp(net);
  auto wide = net.train<double>(rp::reference, y, nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.004},
                                {.batch = 32, .seed = 7});
  const auto same = [&](const auto& a, const auto& b) {
    const auto v = a.parameter("dense_1.w");
    const auto w = b.parameter("dense_1.w");
    bool equal = true;
    for (rp::index_t i = 0; i < v.size(); ++i) equal = equal && static_cast<double>(v[i]) == static_cast<double>(w[i]);
    return equal;
  };
  CHECK_FALSE(same(narrow, wide));
  wide.load_parameters(folder / "parameters");
  CHECK(same(narrow, wide));
  wide.load(folder / "checkpoint");
  CHECK(same(narrow, wide));
  CHECK(wide.steps_done() == narrow.steps_done());
  wide.fit(toy::corners());
  wide.save(folder / "checkpoint");
  narrow.load(folder / "checkpoint");
  CHECK(narrow.steps_done() == wide.steps_done());
  CHECK(near(narrow.parameter("dense_1.w")[0], 1e-6) == wide.parameter("dense_1.w")[0]);
}

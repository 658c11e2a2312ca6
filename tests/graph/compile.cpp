// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include <ridgepoint/graph/plan_builder.hpp>

#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {
/// Returns "dense_1 forward, relu_1 forward, …".
std::string rows(const rp::plan& plan) {
  std::string text;
  for (const rp::planned_call& call : plan.calls)
    text += rp::concat(text.empty() ? "" : ", ", call.info.layer, ' ', to_string(call.info.pass));
  return text;
}
rp::plan train(const rp::graph& net, const rp::node& y) {
  return rp::plan_training(net, y, nn::softmax_cross_entropy{}, nn::sgd{}, {.batch = 8}).plan;
}
}  // namespace

TEST_CASE("a training step is forward, loss, backward and update; the input gets no gradient") {
  rp::graph net("mlp");
  const rp::node logits = toy::mlp(net);
  CHECK(rows(train(net, logits)) ==
        "dense_1 forward, dropout_1 forward, dense_2 forward, softmax_cross_entropy forward, "
        "dense_2 backward-weights, dense_2 backward-data, dense_2 update, "
        "dropout_1 backward-data, dense_1 backward-data, dense_1 backward-weights, dense_1 update, step update");
}

TEST_CASE("inference leaves dropout and the loss out; evaluation leaves dropout out") {
  rp::graph net("mlp");
  const rp::node logits = toy::mlp(net);
  CHECK(rows(rp::plan_inference(net, logits, {.batch = 8}).plan) == "dense_1 forward, dense_2 forward");
  CHECK(rows(rp::plan_evaluation(net, logits, nn::softmax_cross_entropy{}, {.batch = 8}).plan) ==
        "dense_1 forward, dense_2 forward, softmax_cross_entropy forward");
}

TEST_CASE("inference with several outputs computes all their dependencies, and keeps the outputs to its end") {
  rp::graph net("heads");
  const rp::node x = net.input({4}), a = x | nn::dense{.units = 64} | nn::tanh{}, b = a | nn::dense{.units = 2};
  static_cast<void>(x | nn::dense{.units = 7});
  const rp::node both[] = {b, a};
  const rp::compiled made = rp::plan_inference(net, both, {.batch = 8});
  CHECK(rows(made.plan) == "dense_1 forward, dense_2 forward");
  REQUIRE(made.outputs.size() == 2);
  CHECK(made.output_shapes[0] == rp::shape{2});
  CHECK(made.output_shapes[1] == rp::shape{64});
  CHECK(made.plan[made.outputs[1]].bytes == 8 * 64 * sizeof(float));
  const rp::node deep = b | nn::dense{.units = 64} | nn::tanh{} | nn::dense{.units = 64}, ends[] = {a, deep};
  const rp::plan kept = rp::plan_inference(net, ends, {.batch = 8}).plan,
                 alone = rp::plan_inference(net, deep, {.batch = 8}).plan;
  CHECK(kept.bytes(rp::memory_region::arena) == alone.bytes(rp::memory_region::arena) + 8 * 64 * sizeof(float));
  CHECK_THROWS_AS(static_cast<void>(rp::plan_inference(net, std::span<const rp::node>())), rp::value_error);
}

TEST_CASE("an activation is fused into the dense before it only if nothing else reads the product") {
  rp::graph net("shared");
  const rp::node before = net.input({6}) | nn::dense{.units = 6};
  const rp::node fused = net.input({6}) | nn::dense{.units = 6} | nn::tanh{} | nn::sigmoid{};
  CHECK(rows(rp::plan_inference(net, before | nn::relu{}).plan) == "dense_1 forward");
  CHECK(rows(rp::plan_inference(net, rp::add(before, before | nn::relu{})).plan) ==
        "dense_1 forward, relu_2 forward, add_1 forward");
  CHECK(rows(rp::plan_inference(net, fused).plan) == "dense_2 forward, sigmoid_1 forward");
  CHECK(rows(rp::plan_inference(net, before | nn::leaky_relu{}).plan) == "dense_1 forward, leaky_relu_1 forward");
}

TEST_CASE("flatten emits no call, and only dependencies of the output are compiled") {
  rp::graph net("part");
  const rp::node x = net.input({2, 3});
  const rp::node unused = x | nn::dense{.units = 7};
  const rp::node y = x | nn::flatten{} | nn::dense{.units = 2};
  static_cast<void>(unused);
  CHECK(rows(train(net, y)) ==
        "dense_2 forward, softmax_cross_entropy forward, dense_2 backward-weights, dense_2 update, step update");
}

TEST_CASE("gradients of a value that is used twice are added up") {
  rp::graph net("residual");
  const rp::node a = net.input({4}) | nn::dense{.units = 4};
  const rp::node y = rp::add(a, a | nn::dense{.units = 4} | nn::relu{});
  CHECK(
      rows(train(net, y)) ==
      "dense_1 forward, dense_2 forward, add_1 forward, softmax_cross_entropy forward, "
      "dense_2 backward-data, dense_2 backward-weights, dense_2 backward-data, dense_2 update, dense_1 backward-data, "
      "dense_1 backward-weights, dense_1 update, step update");
}

TEST_CASE("the arena is smaller than all activations and gradients together") {
  rp::graph net("deep");
  rp::node y = net.input({64});
  for (int i = 0; i < 8; ++i) y = y | nn::dense{.units = 64} | nn::relu{} | nn::dropout{};
  const rp::plan plan = train(net, y);
  CHECK(plan.bytes(rp::memory_region::arena) < plan.arena_sum_bytes * 3 / 4);
  CHECK(plan.bytes(rp::memory_region::gradients) == plan.bytes(rp::memory_region::parameters));
  CHECK(rp::plan_inference(net, y, {.batch = 8}).plan.bytes(rp::memory_region::arena) == 2 * 8 * 64 * sizeof(float));
}

TEST_CASE("live slots of a real plan never overlap") {
  rp::graph net("live");
  rp::node y = net.input({16}) | nn::dense{.units = 16};
  for (int i = 0; i < 4; ++i)
    y = rp::add(y,
                y | nn::dense{.units = 16} | nn::tanh{} | nn::dropout{} | nn::dense{.units = 16} | nn::hard_sigmoid{});
  const rp::plan plan = train(net, y);

  std::vector<rp::interval> lives(plan.planned_slots.size(), rp::interval{-1, -1, 0});
  for (int c = 0; c < static_cast<int>(plan.calls.size()); ++c) {
    const rp::planned_call& call = plan.calls[static_cast<std::size_t>(c)];
    for (const auto* ids : {&call.reads, &call.writes})
      for (const rp::slot s : *ids) {
        rp::interval& life = lives[static_cast<std::size_t>(s.index)];
        life = {life.first < 0 ? c : life.first, c, plan[s].bytes};
      }
  }
  int shared = 0;
  for (std::size_t i = 0; i < lives.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto &a = plan.planned_slots[i], &b = plan.planned_slots[j];
      if (a.where != rp::memory_region::arena || b.where != rp::memory_region::arena || !lives[i].overlaps(lives[j]))
        continue;
      if (a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset) continue;
      // The only sharing allowed while both are live: one call reads one slot and overwrites it with the other.
      CHECK(a.offset == b.offset);
      CHECK((lives[i].first == lives[j].last || lives[j].first == lives[i].last));
      ++shared;
    }
  CHECK(shared > 0);
}

TEST_CASE("what cannot be trained is refused") {
  rp::graph net("bad");
  const rp::node x = net.input({4});
  CHECK_THROWS_WITH_AS(train(net, x | nn::relu{}), doctest::Contains("depends on no parameter"), rp::value_error);
  CHECK_THROWS_AS(train(net, x | nn::dense{.units = 3} | nn::softmax{}), rp::unsupported);
}

TEST_CASE("receipts of dense passes match the formula") {
  rp::graph net("count");
  const rp::node y = net.input({784}) | nn::dense{.units = 512} | nn::relu{} | nn::dense{.units = 10};
  const auto made = rp::plan_training(net, y, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 128});
  const std::uint64_t first = 2ULL * 128 * 784 * 512, second = 2ULL * 128 * 512 * 10;
  CHECK(made.plan.receipt(rp::pass::forward).matrix_flop == first + second);
  CHECK(made.plan.receipt(rp::pass::backward_weights).matrix_flop == first + second);
  CHECK(made.plan.receipt(rp::pass::backward_data).matrix_flop == second);
  CHECK(made.plan.receipt(rp::pass::update).bytes.total() == 28ULL * (784 * 512 + 512 + 512 * 10 + 10));
}

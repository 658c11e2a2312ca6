// SPDX-License-Identifier: MIT
#include <ridgepoint/graph/chains.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/layers.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

/// Ops of the chains of a plan: "add+activate", kept outputs in brackets.
std::vector<std::string> chains_as_text(const rp::plan& steps) {
  std::vector<std::string> all;
  for (const rp::call_chain& chain : rp::chains_of(steps)) {
    std::string text;
    for (std::size_t c = chain.first; c < chain.end; ++c) {
      const std::string op(steps.calls[c].op->name);
      text += (text.empty() ? "" : "+") + (chain.kept[c - chain.first] ? '[' + op + ']' : op);
    }
    all.push_back(text);
  }
  return all;
}
using texts = std::vector<std::string>;

/// y = relu(a + b), then z = y + b in a separate plan.
struct small_plan {
  static constexpr rp::index_t size = 100;
  rp::plan_builder builder;
  rp::slot a, b, sum, y, z;
  explicit small_plan(rp::memory_region of_sum = rp::memory_region::arena) {
    a = builder.reserve(rp::memory_region::batch, rp::element::f32, size, "a");
    b = builder.reserve(rp::memory_region::batch, rp::element::f32, size, "b");
    sum = builder.reserve(of_sum, rp::element::f32, size, "sum");
    y = builder.reserve(rp::memory_region::arena, rp::element::f32, size, "y");
    z = builder.reserve(rp::memory_region::arena, rp::element::f32, size, "z");
    add(a, b, sum);
    builder.add_call({.layer = "relu"}, [x = sum, to = y](const rp::addresses& at) {
      return rp::activate_args<rp::stored>{.f = rp::activation::relu, .size = size, .x = at(x), .y = at(to)};
    });
    add(y, b, z);
  }
  void add(rp::slot x, rp::slot with, rp::slot to) {
    builder.add_call({.layer = "add"}, [=](const rp::addresses& at) {
      return rp::add_args<rp::stored>{.size = size, .a = at(x), .b = at(with), .y = at(to)};
    });
  }
};

}  // namespace

TEST_CASE("dependent element-wise calls form a chain; results without other readers are not kept") {
  small_plan p;
  p.builder.keep(p.z);
  const rp::plan steps = p.builder.finish();
  CHECK(chains_as_text(steps) == texts{"add+activate+[add]"});
  const rp::call_chain chain = rp::chains_of(steps).front();
  CHECK(chain.bytes == rp::traffic{.inputs = 2 * 400, .outputs = 400});
  CHECK(chain.footprint_bytes == 3 * 400);
  CHECK(steps.receipt().bytes.total() == 8 * 400);
}

TEST_CASE("results read after a chain or after the step, or outside the arena, are kept") {
  small_plan later;
  later.builder.keep(later.sum);
  later.builder.keep(later.z);
  CHECK(chains_as_text(later.builder.finish()) == texts{"[add]+activate+[add]"});
  small_plan carried(rp::memory_region::batch);
  CHECK(chains_as_text(carried.builder.finish()) == texts{"[add]+activate+[add]"});
  small_plan read;
  read.builder.keep(read.z);
  rp::slot other = read.builder.reserve(rp::memory_region::arena, rp::element::f32, small_plan::size, "other");
  read.add(read.a, read.b, other);
  read.add(other, read.y, other);
  CHECK(chains_as_text(read.builder.finish()) == texts{"add+[activate]+[add]", "add+[add]"});
}

TEST_CASE("a call joins no chain if its output overlaps elements still to be read") {
  small_plan p;
  p.builder.keep(p.z);
  rp::plan steps = p.builder.finish();
  const auto at = [&](rp::slot s) -> rp::planned_slot& {
    return steps.planned_slots[static_cast<std::size_t>(s.index)];
  };
  at(p.z).where = at(p.b).where;
  at(p.z).offset = at(p.b).offset;
  CHECK(chains_as_text(steps) == texts{"add+activate+[add]"});  // each element is written after it was read
  at(p.z).offset += 4;
  CHECK(chains_as_text(steps) == texts{"add+[activate]"});
}

TEST_CASE("a chain ends with the forward pass, where losses are read") {
  small_plan p;
  p.builder.keep(p.z);
  rp::plan by_hand = p.builder.finish();
  by_hand.calls.back().info.pass = rp::pass::backward_data;
  CHECK(chains_as_text(by_hand) == texts{"add+[activate]"});

  rp::graph net("residual");
  const rp::node x = net.input({6}) | nn::dense{.units = 5} | nn::relu{};
  const rp::node y = rp::add(x, x | nn::dense{.units = 5}) | nn::tanh{} | nn::dropout{};
  CHECK(chains_as_text(rp::plan_inference(net, y).plan) == texts{"add+[activate]"});
  const auto chains_in = [&](rp::precision in) {
    const rp::plan steps = rp::plan_training(net, y, nn::mse{}, nn::sgd{}, {.batch = 4, .precision = in}).plan;
    for (const rp::call_chain& chain : rp::chains_of(steps))
      CHECK((chain.end <= steps.forward_calls() || chain.first >= steps.forward_calls()));
    return chains_as_text(steps);
  };
  CHECK(chains_in(rp::precision::f32) ==
        texts{"add+[activate]+[dropout]", "dropout+[activate_backward]", "add+[activate_backward]"});
  CHECK(chains_in(rp::precision::bf16) ==
        texts{"add+[activate]+dropout+[convert]", "dropout+[activate_backward]", "add+[activate_backward]"});
}

namespace {

/// A map, normalised, added to itself.
rp::plan normalised_branch(rp::precision in) {
  rp::graph net("normalised");
  const rp::node x = net.input({4, 4, 8}) | nn::conv2d{.filters = 8, .kernel = 3, .padding = nn::same};
  const rp::node y = rp::add(x, x | nn::batch_norm{}) | nn::relu{} | nn::flatten{} | nn::dense{.units = 3};
  return rp::plan_training(net, y, nn::softmax_cross_entropy{}, nn::sgd{}, {.batch = 4, .precision = in}).plan;
}
/// Returns the call of the batch normalisation gradients, after conversions of its output and input gradients.
template <class Plan>
auto gradients_in(Plan& steps) {
  return std::ranges::find(steps.calls, "batch_norm_backward", [](const rp::planned_call& c) { return c.op->name; });
}
/// Moves the converted gradient of its input to `bytes` after the beginning of another slot.
rp::plan laid_upon(rp::plan steps, rp::slot other, std::size_t bytes = 0) {
  rp::planned_slot& moved = steps.planned_slots[static_cast<std::size_t>(gradients_in(steps)[1].writes[0].index)];
  moved.where = steps[other].where;
  moved.offset = steps[other].offset + bytes;
  return steps;
}

}  // namespace

TEST_CASE("a chain includes conversions, and does not overwrite what is read before one") {
  CHECK(chains_as_text(normalised_branch(rp::precision::f32)) == texts{"batch_norm+add+[activate]"});
  CHECK(chains_as_text(normalised_branch(rp::precision::bf16)) ==
        texts{"convert+batch_norm+convert+add+[activate]", "convert+convert+batch_norm_backward+[convert]"});
}

TEST_CASE("conversions begin the chain of a head only if they cover all that it reads") {
  rp::plan steps = normalised_branch(rp::precision::bf16);
  const auto head = gradients_in(steps);
  CHECK(head[-1].op->name == "convert");
  CHECK(head[-2].op->name == "convert");
  const auto with = [&](auto change) {
    rp::plan changed = steps;
    change(*(gradients_in(changed) - 1));
    return chains_as_text(changed).back();
  };
  CHECK(with([](rp::planned_call&) {}) == "convert+convert+batch_norm_backward+[convert]");
  CHECK(with([](rp::planned_call& call) { call.op = rp::op_id_of<rp::advance_args>; }) ==
        "batch_norm_backward+[convert]");
  CHECK(with([&](rp::planned_call& call) { call.writes = {head[0].writes[0]}; }) == "batch_norm_backward+[convert]");
  CHECK(with([&](rp::planned_call& call) { call.op = head[1].op; }) == "batch_norm_backward+[convert]");
  CHECK(with([](rp::planned_call& call) { call.info.pass = rp::pass::update; }) == "batch_norm_backward+[convert]");
}

TEST_CASE("a call joins no chain if its result, of another type, would overlap what is still to be read") {
  const rp::plan steps = normalised_branch(rp::precision::bf16);
  const auto head = gradients_in(steps);
  const rp::slot widened = head->reads[0], stored = head[-1].reads[0], gradient_of_beta = head->writes.back();
  CHECK(chains_as_text(steps).back() == "convert+convert+batch_norm_backward+[convert]");
  CHECK(chains_as_text(laid_upon(steps, widened)).back() == "convert+convert+batch_norm_backward+[convert]");
  CHECK(chains_as_text(laid_upon(steps, stored)).back() == "convert+convert+batch_norm_backward+[convert]");
  CHECK(chains_as_text(laid_upon(steps, stored, 2)).back() == "convert+convert+[batch_norm_backward]");
  CHECK(chains_as_text(laid_upon(steps, gradient_of_beta)).back() == "convert+convert+[batch_norm_backward]");

  rp::plan first_passes_write = steps;  // where a conversion before them has read
  const rp::planned_slot& gradient = steps[head[-2].reads[0]];
  rp::planned_slot& found = first_passes_write.planned_slots[static_cast<std::size_t>(gradient_of_beta.index)];
  found.where = gradient.where, found.offset = gradient.offset;
  CHECK(chains_as_text(first_passes_write).back() == "batch_norm_backward+[convert]");
}

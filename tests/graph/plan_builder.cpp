// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/plan_builder.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/ops/momentum.hpp>
#include <ridgepoint/ops/mse.hpp>

namespace rp = ridgepoint;

namespace {
constexpr rp::index_t size = 100;

/// y = relu(x)
void relu(rp::plan_builder& builder, rp::slot x, rp::slot y) {
  builder.add_call({.layer = "relu"}, [=](const rp::addresses& at) {
    return rp::activate_args<float>{.f = rp::activation::relu, .size = size, .x = at(x), .y = at(y)};
  });
}
void add(rp::plan_builder& builder, rp::slot a, rp::slot b, rp::slot y) {
  builder.add_call({.layer = "add"}, [=](const rp::addresses& at) {
    return rp::add_args<float>{.size = size, .a = at(a), .b = at(b), .y = at(y)};
  });
}
/// Doubles x into y, but its list of operands lacks y.
struct forgetful_args {
  static constexpr std::string_view name = "forgetful";
  const float* x = nullptr;
  float* y = nullptr;
};
auto operands(const forgetful_args& a) { return std::array{rp::operand::input("x", a.x, size)}; }

rp::slot arena(rp::plan_builder& builder, const char* name) {
  return builder.reserve<float>(rp::memory_region::arena, size, name);
}
}  // namespace

TEST_CASE("slots outside the arena follow one another on 64-byte boundaries; parts lie inside their whole") {
  rp::plan_builder builder;
  const auto a = builder.reserve<float>(rp::memory_region::parameters, 3, "a");
  const auto b = builder.reserve<double>(rp::memory_region::parameters, 5, "b");
  const auto tail = builder.part(b, 2, 3, "b.tail");
  const rp::plan plan = builder.finish();
  CHECK(plan[a].offset == 0);
  CHECK(plan[b].offset == 64);
  CHECK(plan[tail].offset == 64 + 16);
  CHECK(plan[tail].bytes == 24);
  CHECK(plan.bytes(rp::memory_region::parameters) == 64 + 40);
  CHECK(plan.bytes(rp::memory_region::arena) == 0);
}

TEST_CASE("an op that may run in place does so if nothing reads its input later") {
  rp::plan_builder builder;
  const auto x = builder.reserve<float>(rp::memory_region::batch, size, "x");
  const auto a = arena(builder, "a"), b = arena(builder, "b"), c = arena(builder, "c"), d = arena(builder, "d");
  relu(builder, x, a);    // x is fed from outside: never overwritten
  relu(builder, a, b);    // a is read again below: not overwritten here
  relu(builder, b, c);    // in place
  add(builder, a, c, d);  // over a
  builder.keep(d);
  const rp::plan plan = builder.finish();
  CHECK(plan[b].offset == plan[c].offset);
  CHECK(plan[a].offset != plan[b].offset);
  CHECK(plan[d].offset == plan[a].offset);
  CHECK(plan[d].offset != plan[c].offset);
  CHECK(plan.arena_sum_bytes == 4 * size * sizeof(float));
  CHECK(plan.bytes(rp::memory_region::arena) < plan.arena_sum_bytes);
}

TEST_CASE("kept slots are never overwritten") {
  rp::plan_builder builder;
  const auto x = builder.reserve<float>(rp::memory_region::batch, size, "x");
  const auto a = arena(builder, "a"), b = arena(builder, "b"), c = arena(builder, "c");
  relu(builder, x, a);
  relu(builder, a, b);
  relu(builder, x, c);
  builder.keep(a);
  builder.keep(b);
  const rp::plan plan = builder.finish();
  CHECK(plan[a].offset != plan[b].offset);
  CHECK(plan[a].offset != plan[c].offset);
  CHECK(plan[b].offset != plan[c].offset);
}

TEST_CASE("a read of a slot that was never written is refused") {
  rp::plan_builder builder;
  const auto a = arena(builder, "a"), b = arena(builder, "b");
  relu(builder, a, b);
  CHECK_THROWS_WITH_AS(static_cast<void>(builder.finish()),
                       doctest::Contains("relu: activate<float> reads a before anything has written it"),
                       rp::value_error);
}

TEST_CASE("the reads and writes of a call follow from the operands of its op") {
  rp::plan_builder builder;
  const auto x = builder.reserve<float>(rp::memory_region::batch, size, "x");
  const auto w = builder.reserve<float>(rp::memory_region::parameters, size, "w");
  const auto m = builder.reserve<float>(rp::memory_region::moments, size, "m");
  const auto state = builder.reserve<rp::step_state>(rp::memory_region::batch, 1, "state");
  const auto c = arena(builder, "c"), bias = rp::slot{};
  builder.add_call({.layer = "product"}, [=](const rp::addresses& at) {
    return rp::gemm_args<float>{
        .a = {at(x), 10, 10}, .b = {at(w), 10, 10}, .c = {at(c), 10, 10}, .options = {.bias = at(bias)}};
  });
  builder.add_call({.layer = "sum"}, [=](const rp::addresses& at) {
    return rp::gemm_args<float>{
        .a = {at(x), 10, 10}, .b = {at(w), 10, 10}, .c = {at(c), 10, 10}, .options = {.beta = 1}};
  });
  builder.add_call({.layer = "update"}, [=](const rp::addresses& at) {
    return rp::momentum_update_args<float>{.size = size, .w = at(w), .g = at(c), .a = at(m), .state = at(state)};
  });
  builder.add_call({.layer = "loss"}, [=](const rp::addresses& at) {
    return rp::mse_args<float>{.y = at(c), .target = at(x), .size = size, .state = at(state)};
  });
  const rp::plan plan = builder.finish();
  using slots = std::vector<rp::slot>;
  CHECK((plan.calls[0].reads == slots{x, w} && plan.calls[0].writes == slots{c}));
  CHECK((plan.calls[1].reads == slots{x, w, c} && plan.calls[1].writes == slots{c}));
  CHECK((plan.calls[2].reads == slots{w, c, m, state} && plan.calls[2].writes == slots{w, m}));
  CHECK((plan.calls[3].reads == slots{c, x} && plan.calls[3].writes == slots{state}));
  constexpr std::uint64_t each = size * sizeof(float);
  CHECK(plan.footprint_bytes(plan.calls[1]) == 3 * each);  // c, read and written, once
  CHECK(plan.footprint_bytes(plan.calls[2]) == 3 * each + sizeof(rp::step_state));
}

TEST_CASE("a write missing from an op's list is detected where its result is read") {
  rp::plan_builder builder;
  const auto x = builder.reserve<float>(rp::memory_region::batch, size, "x");
  const auto a = arena(builder, "a"), b = arena(builder, "b");
  builder.add_call({.layer = "forgetful"},
                   [=](const rp::addresses& at) { return forgetful_args{.x = at(x), .y = at(a)}; });
  relu(builder, a, b);
  CHECK_THROWS_WITH_AS(static_cast<void>(builder.finish()),
                       doctest::Contains("relu: activate<float> reads a before anything has written it"),
                       rp::value_error);
}

TEST_CASE("a call that cannot run is refused when it is planned") {
  rp::plan_builder builder;
  const auto x = builder.reserve<float>(rp::memory_region::batch, size, "x");
  const auto y = builder.reserve<float>(rp::memory_region::arena, size - 1, "short");
  CHECK_THROWS_WITH_AS(relu(builder, x, y),
                       "relu: activate<float> has its y at bytes 0 to 400 of short; must lie within 396",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(relu(builder, x, rp::slot{}), "activate: y is a null pointer; must point to 100 elements",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(builder.add_call({.layer = "forgetful"}, [](const rp::addresses&) { return forgetful_args{}; }),
                       "forgetful: x is a null pointer; must point to 100 elements", rp::shape_error);
}

TEST_CASE("a call carries the receipt of its arguments and the bytes it touches") {
  rp::plan_builder builder;
  const auto x = builder.reserve<float>(rp::memory_region::batch, size, "x");
  const auto y = arena(builder, "y");
  add(builder, x, x, y);
  const rp::plan plan = builder.finish();
  CHECK(plan.calls[0].info.receipt == receipt(rp::add_args<float>{.size = size}));
  CHECK(plan.footprint_bytes(plan.calls[0]) == 2 * size * sizeof(float));
  CHECK(plan.receipt() == receipt(rp::add_args<float>{.size = size}));
  CHECK(plan.receipt(rp::pass::update) == rp::work{});
}

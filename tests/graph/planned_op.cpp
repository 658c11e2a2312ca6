// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/plan_builder.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/embedding.hpp>
#include <ridgepoint/ops/mse.hpp>

namespace rp = ridgepoint;
using rp::element;
using rp::memory_region;

namespace {
constexpr rp::index_t count = 10;

void sum(rp::plan_builder& builder, rp::slot a, rp::slot b, rp::slot y) {
  builder.add_call({.layer = "sum"}, [=](const rp::addresses& at) {
    return rp::add_args<rp::stored>{.size = count, .a = at(a), .b = at(b), .y = at(y)};
  });
}
}  // namespace

TEST_CASE_TEMPLATE("a call has the type of its slots, with the receipt of that op", T, float, double) {
  rp::plan_builder builder;
  const rp::slot a = builder.reserve<T>(memory_region::batch, count, "a");
  const rp::slot y = builder.reserve<T>(memory_region::arena, count, "y");
  sum(builder, a, a, y);
  const rp::plan plan = builder.finish();
  const rp::planned_call& call = plan.calls[0];
  CHECK(call.op == rp::op_id_of<rp::add_args<T>>);
  CHECK(call.info.receipt == receipt(rp::add_args<T>{.size = count}));

  std::vector<T> x(count, T(2)), z(count);
  rp::addresses at;
  at.add(x.data()), at.add(z.data());
  const auto args = call.bind(at);
  const auto* const made = static_cast<const rp::add_args<T>*>(args.get());
  CHECK((made->size == count && made->a == x.data() && made->y == z.data()));
  rp::addresses overlapping;
  overlapping.add(x.data()), overlapping.add(x.data() + 1);
  CHECK_THROWS_WITH_AS(static_cast<void>(call.bind(overlapping)), doctest::Contains("add: y overlaps a"),
                       rp::shape_error);
}

TEST_CASE("operands of different types are refused by name") {
  rp::plan_builder builder;
  const rp::slot a = builder.reserve<float>(memory_region::batch, count, "a");
  const rp::slot b = builder.reserve<double>(memory_region::batch, count, "b");
  const rp::slot ids = builder.reserve<std::int32_t>(memory_region::batch, count, "ids");
  const rp::slot y = builder.reserve<float>(memory_region::arena, count, "y");
  CHECK_THROWS_WITH_AS(sum(builder, a, b, y), "sum: add has its b in b, which holds f64; must hold f32",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(sum(builder, ids, a, y),
                       "sum: add has its a in ids, which holds i32; must hold f32, f64, bf16 or f16", rp::value_error);
  CHECK_THROWS_WITH_AS(
      builder.add_call({.layer = "words"},
                       [=](const rp::addresses& at) {
                         return rp::embedding_args<rp::stored>{
                             .tokens = count, .vocabulary = 5, .width = 1, .ids = at(a), .table = at(a), .y = at(y)};
                       }),
      "words: embedding has its ids in a, which holds f32; must hold i32", rp::value_error);
  CHECK_THROWS_WITH_AS(builder.add_call({.layer = "loss"},
                                        [=](const rp::addresses& at) {
                                          return rp::mse_args<rp::stored>{
                                              .y = at(a), .target = at(a), .size = count, .state = at(y)};
                                        }),
                       doctest::Contains("has its state in y, which holds f32; must hold other"), rp::value_error);
}

TEST_CASE("placeholder slots of the narrowest type are spaced for checks with the widest type") {
  rp::plan_builder builder;
  constexpr rp::index_t large = rp::index_t{1} << 32;  // 8 GiB of bf16
  const rp::slot a = builder.reserve(memory_region::batch, element::bf16, large, "a");
  const rp::slot y = builder.reserve(memory_region::arena, element::bf16, large, "y");
  CHECK_NOTHROW(builder.add_call({}, [=](const rp::addresses& at) {
    return rp::add_args<rp::stored>{.size = large, .a = at(a), .b = at(a), .y = at(y)};
  }));
}

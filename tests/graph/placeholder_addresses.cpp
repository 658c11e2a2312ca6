// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/plan_builder.hpp>

namespace rp = ridgepoint;
using rp::operand;

namespace {
constexpr rp::op_record op = {"op", {rp::element::f32, rp::element::other}, 0};

struct slots_in_line {
  std::vector<rp::planned_slot> slots;
  rp::placeholder_addresses memory;
  rp::slot add(const char* name, rp::index_t count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
    slots.push_back({name, rp::element::f32, rp::memory_region::arena, bytes, 0});
    memory.add(bytes, rp::element::f32);
    return {static_cast<int>(slots.size()) - 1};
  }
  rp::planned_call list(std::initializer_list<operand> operands) const {
    rp::planned_call call{.info = {.layer = "layer"}, .op = &op};
    list_slots(call, operands, memory, slots);
    return call;
  }
};
}  // namespace

TEST_CASE("an operand's address identifies its slot, for slots of any size") {
  slots_in_line all;
  const auto a = all.add("a", 10), none = all.add("none", 0), large = all.add("large", rp::index_t{1} << 40),
             b = all.add("b", 10);
  const auto at = [&](rp::slot s) -> float* { return all.memory.at()(s); };
  const float* const in = at(a);
  const auto call =
      all.list({operand::input("x", in, 10), operand::weight("w", in + 2, 2, 4), operand::update("m", at(b), 10),
                operand::sum("c", at(large), rp::index_t{1} << 40), operand::output("y", at(none), 0),
                operand::output("absent", static_cast<float*>(nullptr), 9).optional()});
  CHECK(call.reads == std::vector<rp::slot>{a, a, b, large});
  CHECK(call.writes == std::vector<rp::slot>{b, large, none});
}

TEST_CASE("a call may work in place if its op may and both operands have the same layout") {
  slots_in_line all;
  const auto a = all.add("a", 12), b = all.add("b", 12), c = all.add("c", 12), y = all.add("y", 12);
  const auto at = [&](rp::slot s) -> float* { return all.memory.at()(s); };
  const float* const in = at(b);
  const operand other = operand::input("a", static_cast<const float*>(at(a)), 12), x = operand::input("b", in, 12);
  const operand result = operand::output("y", at(y), 12);
  CHECK_FALSE(all.list({other, x, result}).overwrites.exists());
  const auto call = all.list({other, operand::output("c", at(c), 3), x.overwritable(), result});
  CHECK((call.overwrites == b && call.result == y));
  CHECK_FALSE(all.list({x.overwritable(), operand::output("y", at(y), 4)}).overwrites.exists());
  CHECK_FALSE(all.list({x.overwritable(), operand::output("y", at(y), 3, 4)}).overwrites.exists());
  const auto matrix = operand::input("x", rp::matrix_view<const float>(in, 2, 3, 4)).overwritable();
  CHECK_FALSE(all.list({matrix, operand::output("y", at(y), 2, 3)}).overwrites.exists());
  CHECK(all.list({matrix, operand::output("y", rp::matrix_view<float>(at(y), 2, 3, 4))}).overwrites == b);
  CHECK_FALSE(all.list({operand::input("x", in + 1, 4).overwritable(), operand::output("y", at(y) + 1, 4)})
                  .overwrites.exists());
}

TEST_CASE("an operand that extends beyond its slot is refused by name") {
  slots_in_line all;
  const auto a = all.add("a", 10), b = all.add("b", 10);
  const auto at = [&](rp::slot s) -> float* { return all.memory.at()(s); };
  CHECK_THROWS_WITH_AS(all.list({operand::output("y", at(b), 11)}),
                       "layer: op<float> has its y at bytes 0 to 44 of b; must lie within 40", rp::shape_error);
  CHECK_THROWS_WITH_AS(all.list({operand::output("y", at(a) + 10, 1)}),
                       "layer: op<float> has its y at bytes 40 to 44 of a; must lie within 40", rp::shape_error);
  CHECK_THROWS_WITH_AS(all.list({operand::output("y", rp::matrix_view<float>(at(a), 2, 3, 8))}),
                       "layer: op<float> has its y at bytes 0 to 44 of a; must lie within 40", rp::shape_error);
  CHECK_THROWS_WITH_AS(all.list({operand::output("y", rp::matrix_view<float>(at(a), 2, 3, -3))}),
                       "layer: op<float> has its y at bytes -12 to 12 of a; must lie within 40", rp::shape_error);
  CHECK_NOTHROW(all.list({operand::output("y", rp::matrix_view<float>(at(a) + 3, 2, 3, -3))}));
  float outside[4];
  CHECK_THROWS_AS(all.list({operand::output("y", outside, 4)}), rp::shape_error);
  CHECK_THROWS_WITH_AS(slots_in_line{}.list({operand::output("y", outside, 4)}),
                       "layer: op<float> has its y outside every plan slot; must be in one", rp::shape_error);
}

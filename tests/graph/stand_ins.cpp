// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/stand_ins.hpp>

namespace rp = ridgepoint;
using rp::operand;

namespace {
struct slots_in_line {
  std::vector<rp::planned_slot> slots;
  rp::stand_ins memory;
  rp::slot<float> add(const char* name, rp::index_t count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
    slots.push_back({name, typeid(float), rp::memory_region::arena, bytes, 0});
    memory.add(bytes);
    rp::slot<float> added;
    added.index = static_cast<int>(slots.size()) - 1;
    return added;
  }
  rp::planned_call list(std::initializer_list<operand> operands) const {
    rp::planned_call call{
        .info = {.layer = "layer"}, .op = "op<float>", .type = typeid(int), .reads = {}, .writes = {}, .bind = {}};
    list_slots(call, operands, memory, slots);
    return call;
  }
};
}  // namespace

TEST_CASE("an operand tells by its address which slot it lies in, however large the slots are") {
  slots_in_line all;
  const auto a = all.add("a", 10), none = all.add("none", 0), large = all.add("large", rp::index_t{1} << 40),
             b = all.add("b", 10);
  const rp::addresses& at = all.memory.at();
  const float* const in = at(a);
  const auto call =
      all.list({operand::input("x", in, 10), operand::weight("w", in + 2, 2, 4), operand::update("m", at(b), 10),
                operand::sum("c", at(large), rp::index_t{1} << 40), operand::output("y", at(none), 0),
                operand::output("absent", static_cast<float*>(nullptr), 9).optional()});
  CHECK(call.reads == std::vector<rp::slot_id>{a, a, b, large});
  CHECK(call.writes == std::vector<rp::slot_id>{b, large, none});
}

TEST_CASE("an operand that reaches beyond its slot is refused by name") {
  slots_in_line all;
  const auto a = all.add("a", 10), b = all.add("b", 10);
  const rp::addresses& at = all.memory.at();
  CHECK_THROWS_WITH_AS(all.list({operand::output("y", at(b), 11)}),
                       "layer: op<float> has its y at bytes 0 to 44 of b; must lie within 40", rp::shape_error);
  CHECK_THROWS_WITH_AS(all.list({operand::output("y", at(a) + 10, 1)}),
                       "layer: op<float> has its y at bytes 40 to 44 of a; must lie within 40", rp::shape_error);
  CHECK_THROWS_WITH_AS(all.list({operand::output("y", rp::matrix_view<float>(at(a), 2, 3, 8))}),
                       "layer: op<float> has its y at bytes 0 to 44 of a; must lie within 40", rp::shape_error);
  CHECK_THROWS_WITH_AS(all.list({operand::output("y", rp::matrix_view<float>(at(a), 2, 3, -3))}),
                       "layer: op<float> has its y at bytes -12 to 12 of a; must lie within 40", rp::shape_error);
  CHECK_NOTHROW(all.list({operand::output("y", rp::matrix_view<float>(at(a) + 3, 2, 3, -3))}));
  float beside[4];
  CHECK_THROWS_AS(all.list({operand::output("y", beside, 4)}), rp::shape_error);
  CHECK_THROWS_WITH_AS(slots_in_line{}.list({operand::output("y", beside, 4)}),
                       "layer: op<float> has its y beside the plan; must lie in a slot", rp::shape_error);
}

// SPDX-License-Identifier: MIT
// expect: a planned op lists its operands: operands.const its_args&. next to its arguments
#include <ridgepoint/graph/plan_builder.hpp>

namespace rp = ridgepoint;

struct twice_args {
  static constexpr std::string_view name = "twice";
  rp::index_t size = 0;
  const float* x = nullptr;
  float* y = nullptr;
};
#ifdef FIXED
auto operands(const twice_args& a) {
  return std::array{rp::operand::input("x", a.x, a.size), rp::operand::output("y", a.y, a.size)};
}
#endif

int main() {
  rp::plan_builder builder;
  const auto x = builder.reserve<float>(rp::memory_region::batch, 4, "x");
  const auto y = builder.reserve<float>(rp::memory_region::batch, 4, "y");
  builder.add_call({.layer = "twice"},
                   [=](const rp::addresses& at) { return twice_args{.size = 4, .x = at(x), .y = at(y)}; });
}

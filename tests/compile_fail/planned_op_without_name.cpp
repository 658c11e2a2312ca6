// SPDX-License-Identifier: MIT
// expect: a planned op has a name: static constexpr std::string_view name in its arguments
#include <ridgepoint/graph/plan_builder.hpp>

namespace rp = ridgepoint;

struct twice_args {
#ifdef FIXED
  static constexpr std::string_view name = "twice";
#endif
  rp::index_t size = 0;
  const float* x = nullptr;
  float* y = nullptr;
};
auto operands(const twice_args& a) {
  return std::array{rp::operand::input("x", a.x, a.size), rp::operand::output("y", a.y, a.size)};
}

int main() {
  rp::plan_builder builder;
  const auto x = builder.reserve<float>(rp::memory_region::batch, 4, "x");
  const auto y = builder.reserve<float>(rp::memory_region::batch, 4, "y");
  builder.add_call({.layer = "twice"},
                   [=](const rp::addresses& at) { return twice_args{.size = 4, .x = at(x), .y = at(y)}; });
}

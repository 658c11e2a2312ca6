// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>
#include <ridgepoint/ops/step_state.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// state->gradient_squares ← Σ_i x(i)², added to its value if `accumulate`.
template <scalar T>
struct sum_of_squares_args {
  static constexpr std::string_view name = "sum_of_squares";
  index_t size = 0;
  const T* x = nullptr;
  bool accumulate = false;
  step_state* state = nullptr;
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const sum_of_squares_args<T>& a) noexcept {
  return std::array{operand::input("x", a.x, a.size),
                    a.accumulate ? operand::sum("state", a.state) : operand::output("state", a.state)};
}

/// Receipt of sum_of_squares(): 2 FLOP per element; reads size elements. The state is not counted.
template <scalar T>
[[nodiscard]] constexpr work receipt(const sum_of_squares_args<T>& a) noexcept {
  return {.flop = 2 * static_cast<std::uint64_t>(a.size), .bytes = traffic_of(operands(a))};
}

/// Throws: as sum_of_squares().
template <scalar T>
void check(const sum_of_squares_args<T>& a) {
  check_operands(a);
}

/// Writes Σ x², summed in double, to the state, for an update_rule: call it for the gradients of a step one after
/// another, all but the first with `accumulate`.
/// Next: reference/optimisers.hpp is the definition, cpu/optimisers.hpp the fast one.
/// Work: receipt(args).
/// Throws: shape_error if a pointer is null.
/// Example:
///   rp::sum_of_squares(on, rp::sum_of_squares_args<float>{.size = n, .x = g, .state = &state});
template <scalar T, class Backend>
work sum_of_squares(const Backend& on, const sum_of_squares_args<T>& args) {
  static_assert(runs<Backend, sum_of_squares_args<T>>,
                "sum_of_squares: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

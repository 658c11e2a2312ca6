// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/optimiser.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Hyper-parameters of Adadelta (Keras' form).
struct adadelta_options {
  double rho = 0.95;      // 0 ≤ rho < 1
  double epsilon = 1e-7;  // > 0
};

/// One Adadelta step over `size` weights:
///   a ← rho·a + (1 − rho)·g²
///   u = g·√(d + epsilon) / √(a + epsilon)
///   w ← w − rate·u
///   d ← rho·d + (1 − rho)·u²
template <scalar T>
struct adadelta_update_args {
  static constexpr std::string_view name = "adadelta_update";
  adadelta_options options = {};
  index_t size = 0;
  T* w = nullptr;        // weights
  const T* g = nullptr;  // gradient of the loss for w
  T* a = nullptr;        // mean square gradient, starts at 0
  T* d = nullptr;        // mean square update, starts at 0
  const step_state* state = nullptr;
  update_rule rule = {};
  listed_rows listed = {};
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const adadelta_update_args<T>& u) noexcept {
  return std::array{detail::updated(u, "w", u.w), detail::gradient_of(u),           detail::updated(u, "a", u.a),
                    detail::updated(u, "d", u.d), operand::input("state", u.state), detail::row_list_of(u)};
}

/// Receipt of adadelta_update(): 13 FLOP and 3 specials per weight, and the rule's; 28 bytes per weight in f32.
template <scalar T>
[[nodiscard]] constexpr work receipt(const adadelta_update_args<T>& u) noexcept {
  return detail::update_receipt(u, 13, 3);
}

/// Throws: as adadelta_update().
template <scalar T>
void check(const adadelta_update_args<T>& u) {
  detail::check_decay("adadelta_update", "rho", u.options.rho);
  detail::check_epsilon<T>("adadelta_update", u.options.epsilon);
  detail::check_update(u);
}

/// Adadelta, Keras' form, in one fused pass over the weights:
///   a ← rho·a + (1 − rho)·g²
///   u = g·√(d + epsilon) / √(a + epsilon)
///   w ← w − rate·u
///   d ← rho·d + (1 − rho)·u²
/// args.rule first modifies g, w and rate; by default they are unchanged, and rate is state->learning_rate.
/// Updates all weights, or the rows in args.listed.
/// Next: reference/optimisers.hpp is the definition, cpu/optimisers.hpp the fast one.
/// Work: receipt(args).
/// Throws: shape_error if a pointer is null, two vectors overlap, or size is not a multiple of the listed width;
/// value_error for a hyper-parameter or a rule out of its domain.
/// Example:
///   rp::adadelta_update(
///       on, rp::adadelta_update_args<float>{.size = n, .w = w, .g = g, .a = a, .d = d, .state = state});
template <scalar T, class Backend>
work adadelta_update(const Backend& on, const adadelta_update_args<T>& args) {
  static_assert(runs<Backend, adadelta_update_args<T>>,
                "adadelta_update: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

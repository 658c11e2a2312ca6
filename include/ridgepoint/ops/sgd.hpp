// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/optimiser.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// One SGD step over `size` weights:
///   w ← w − rate·g
template <scalar T>
struct sgd_update_args {
  static constexpr std::string_view name = "sgd_update";
  index_t size = 0;
  T* w = nullptr;        // weights
  const T* g = nullptr;  // gradient of the loss for w
  const step_state* state = nullptr;
  update_rule rule = {};
  listed_rows listed = {};
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const sgd_update_args<T>& u) noexcept {
  return std::array{detail::updated(u, "w", u.w), detail::gradient_of(u), operand::input("state", u.state),
                    detail::row_list_of(u)};
}

/// Receipt of sgd_update(): 2 FLOP per weight, and the rule's; 12 bytes per weight in f32.
template <scalar T>
[[nodiscard]] constexpr work receipt(const sgd_update_args<T>& u) noexcept {
  return detail::update_receipt(u, 2, 0);
}

/// Throws: as sgd_update().
template <scalar T>
void check(const sgd_update_args<T>& u) {
  detail::check_update(u);
}

/// SGD, plain stochastic gradient descent, in one fused pass over the weights:
///   w ← w − rate·g
/// args.rule first modifies g, w and rate; by default they are unchanged, and rate is state->learning_rate.
/// Updates all weights, or the rows in args.listed.
/// Next: reference/optimisers.hpp is the definition, cpu/optimisers.hpp the fast one.
/// Work: receipt(args).
/// Throws: shape_error if a pointer is null, two vectors overlap, or size is not a multiple of the listed width;
/// value_error for a rule out of its domain.
/// Example:
///   rp::sgd_update(on, rp::sgd_update_args<float>{.size = n, .w = w, .g = g, .state = state});
template <scalar T, class Backend>
work sgd_update(const Backend& on, const sgd_update_args<T>& args) {
  static_assert(runs<Backend, sgd_update_args<T>>,
                "sgd_update: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

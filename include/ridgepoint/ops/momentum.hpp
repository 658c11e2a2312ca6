// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/optimiser.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Hyper-parameters of Momentum (TensorFlow's form: the rate is outside a).
struct momentum_options {
  double momentum = 0.9;  // 0 ≤ momentum < 1
};

/// One Momentum step over `size` weights:
///   a ← momentum·a + g
///   w ← w − rate·a
template <scalar T>
struct momentum_update_args {
  static constexpr std::string_view name = "momentum_update";
  momentum_options options = {};
  index_t size = 0;
  T* w = nullptr;        // weights
  const T* g = nullptr;  // gradient of the loss for w
  T* a = nullptr;        // velocity, starts at 0
  const step_state* state = nullptr;
  update_rule rule = {};
  listed_rows listed = {};
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const momentum_update_args<T>& u) noexcept {
  return std::array{detail::updated(u, "w", u.w), detail::gradient_of(u), detail::updated(u, "a", u.a),
                    operand::input("state", u.state), detail::row_list_of(u)};
}

/// Receipt of momentum_update(): 4 FLOP per weight, and the rule's; 20 bytes per weight in f32.
template <scalar T>
[[nodiscard]] constexpr work receipt(const momentum_update_args<T>& u) noexcept {
  return detail::update_receipt(u, 4, 0);
}

/// Throws: as momentum_update().
template <scalar T>
void check(const momentum_update_args<T>& u) {
  detail::check_decay("momentum_update", "momentum", u.options.momentum);
  detail::check_update(u);
}

/// Momentum, TensorFlow's form: the rate is outside a, in one fused pass over the weights:
///   a ← momentum·a + g
///   w ← w − rate·a
/// args.rule first modifies g, w and rate; by default they are unchanged, and rate is state->learning_rate.
/// Updates all weights, or the rows in args.listed.
/// Next: reference/optimisers.hpp is the definition, cpu/optimisers.hpp the fast one.
/// Work: receipt(args).
/// Throws: shape_error if a pointer is null, two vectors overlap, or size is not a multiple of the listed width;
/// value_error for a hyper-parameter or a rule out of its domain.
/// Example:
///   rp::momentum_update(on, rp::momentum_update_args<float>{.size = n, .w = w, .g = g, .a = a, .state = state});
template <scalar T, class Backend>
work momentum_update(const Backend& on, const momentum_update_args<T>& args) {
  static_assert(runs<Backend, momentum_update_args<T>>,
                "momentum_update: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

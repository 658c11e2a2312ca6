// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/optimiser.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Hyper-parameters of RMSProp (TensorFlow 1's form: epsilon is inside the root and ms starts at one).
struct rmsprop_tf1_options {
  double rho = 0.9;       // 0 ≤ rho < 1
  double momentum = 0.9;  // 0 ≤ momentum < 1
  double epsilon = 1.0;   // > 0
};

/// One RMSProp step over `size` weights:
///   ms ← ms + (1 − rho)·(g² − ms)
///   mom ← momentum·mom + rate·g / √(ms + epsilon)
///   w ← w − mom
template <scalar T>
struct rmsprop_tf1_update_args {
  static constexpr std::string_view name = "rmsprop_tf1_update";
  rmsprop_tf1_options options = {};
  index_t size = 0;
  T* w = nullptr;        // weights
  const T* g = nullptr;  // gradient of the loss for w
  T* ms = nullptr;       // mean square, starts at ONE
  T* mom = nullptr;      // velocity, starts at 0
  const step_state* state = nullptr;
  update_rule rule = {};
  listed_rows listed = {};
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const rmsprop_tf1_update_args<T>& u) noexcept {
  return std::array{detail::updated(u, "w", u.w),     detail::gradient_of(u),           detail::updated(u, "ms", u.ms),
                    detail::updated(u, "mom", u.mom), operand::input("state", u.state), detail::row_list_of(u)};
}

/// Receipt of rmsprop_tf1_update(): 9 FLOP and 2 specials per weight, and the rule's; 28 bytes per weight in f32.
template <scalar T>
[[nodiscard]] constexpr work receipt(const rmsprop_tf1_update_args<T>& u) noexcept {
  return detail::update_receipt(u, 9, 2);
}

/// Throws: as rmsprop_tf1_update().
template <scalar T>
void check(const rmsprop_tf1_update_args<T>& u) {
  detail::check_decay("rmsprop_tf1_update", "rho", u.options.rho);
  detail::check_decay("rmsprop_tf1_update", "momentum", u.options.momentum);
  detail::check_epsilon<T>("rmsprop_tf1_update", u.options.epsilon);
  detail::check_update(u);
}

/// RMSProp, TensorFlow 1's form: epsilon is inside the root and ms starts at one, in one fused pass over the weights:
///   ms ← ms + (1 − rho)·(g² − ms)
///   mom ← momentum·mom + rate·g / √(ms + epsilon)
///   w ← w − mom
/// args.rule first modifies g, w and rate; by default they are unchanged, and rate is state->learning_rate.
/// Updates all weights, or the rows in args.listed.
/// Next: reference/optimisers.hpp is the definition, cpu/optimisers.hpp the fast one.
/// Work: receipt(args).
/// Throws: shape_error if a pointer is null, two vectors overlap, or size is not a multiple of the listed width;
/// value_error for a hyper-parameter or a rule out of its domain.
/// Example:
///   rp::rmsprop_tf1_update(on, rp::rmsprop_tf1_update_args<float>{.size = n, .w = w, .g = g, .ms = ms, .mom = mom,
///       .state = state});
template <scalar T, class Backend>
work rmsprop_tf1_update(const Backend& on, const rmsprop_tf1_update_args<T>& args) {
  static_assert(runs<Backend, rmsprop_tf1_update_args<T>>,
                "rmsprop_tf1_update: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

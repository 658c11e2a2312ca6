// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/optimiser.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Hyper-parameters of Adam (Keras' form: the bias correction is folded into the rate).
struct adam_options {
  double beta1 = 0.9;     // 0 ≤ beta1 < 1
  double beta2 = 0.999;   // 0 ≤ beta2 < 1
  double epsilon = 1e-7;  // > 0
};

/// One Adam step over `size` weights:
///   m ← m + (1 − beta1)·(g − m)
///   v ← v + (1 − beta2)·(g² − v)
///   w ← w − rate_t·m / (√v + epsilon),  rate_t = rate·√(1 − beta2^t) / (1 − beta1^t),  t = updates_done(*state) + 1
template <scalar T>
struct adam_update_args {
  static constexpr std::string_view name = "adam_update";
  adam_options options = {};
  index_t size = 0;
  T* w = nullptr;        // weights
  const T* g = nullptr;  // gradient of the loss for w
  T* m = nullptr;        // mean gradient, starts at 0
  T* v = nullptr;        // mean square, starts at 0
  const step_state* state = nullptr;
  update_rule rule = {};
  listed_rows listed = {};
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const adam_update_args<T>& u) noexcept {
  return std::array{detail::updated(u, "w", u.w), detail::gradient_of(u),           detail::updated(u, "m", u.m),
                    detail::updated(u, "v", u.v), operand::input("state", u.state), detail::row_list_of(u)};
}

/// Receipt of adam_update(): 10 FLOP and 2 specials per weight, and the rule's; 28 bytes per weight in f32.
template <scalar T>
[[nodiscard]] constexpr work receipt(const adam_update_args<T>& u) noexcept {
  return detail::update_receipt(u, 10, 2);
}

/// rate_t = rate·√(1 − beta2^t) / (1 − beta1^t), t = done + 1.
[[nodiscard]] inline double adam_rate(const adam_options& options, double rate, std::uint64_t done) noexcept {
  const auto t = static_cast<double>(done) + 1;
  return rate * std::sqrt(1 - std::pow(options.beta2, t)) / (1 - std::pow(options.beta1, t));
}

/// Throws: as adam_update().
template <scalar T>
void check(const adam_update_args<T>& u) {
  detail::check_decay("adam_update", "beta1", u.options.beta1);
  detail::check_decay("adam_update", "beta2", u.options.beta2);
  detail::check_epsilon<T>("adam_update", u.options.epsilon);
  detail::check_update(u);
}

/// Adam, Keras' form: the bias correction is folded into the rate, in one fused pass over the weights:
///   m ← m + (1 − beta1)·(g − m)
///   v ← v + (1 − beta2)·(g² − v)
///   w ← w − rate_t·m / (√v + epsilon),  rate_t = rate·√(1 − beta2^t) / (1 − beta1^t),  t = updates_done(*state) + 1
/// args.rule first modifies g, w and rate; by default they are unchanged, and rate is state->learning_rate.
/// Updates all weights, or the rows in args.listed.
/// Next: reference/optimisers.hpp is the definition, cpu/optimisers.hpp the fast one.
/// Work: receipt(args).
/// Throws: shape_error if a pointer is null, two vectors overlap, or size is not a multiple of the listed width;
/// value_error for a hyper-parameter or a rule out of its domain.
/// Example:
///   rp::adam_update(on, rp::adam_update_args<float>{.size = n, .w = w, .g = g, .m = m, .v = v, .state = state});
template <scalar T, class Backend>
work adam_update(const Backend& on, const adam_update_args<T>& args) {
  static_assert(runs<Backend, adam_update_args<T>>,
                "adam_update: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

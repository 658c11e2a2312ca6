// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>

#include <ridgepoint/ops/step_state.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Rule that every optimiser applies before its own formula:
///   g ← min(max(s·g, −clip_value), clip_value) + weight_decay·w,  s = min(1, clip_norm / √(Σ g²))
///   w ← w − rate·decoupled_weight_decay·w
///   rate = rate_factor·state->learning_rate
/// Σ g², over all gradients of the step, is state->gradient_squares, computed by sum_of_squares(). Defaults change
/// nothing, and terms with default values are not computed. With skips_non_finite nothing is updated if Σ g² is not
/// finite.
/// Work: per weight 1 FLOP for clip_norm, 2 each for clip_value, weight_decay and decoupled_weight_decay.
struct update_rule {
  double rate_factor = 1;
  double weight_decay = 0;            // as in SGD: the gradient of weight_decay/2·‖w‖²
  double decoupled_weight_decay = 0;  // as in AdamW
  double clip_value = 0;              // limit of each element; 0: no limit
  double clip_norm = 0;               // limit of all gradients together; 0: no limit
  bool skips_non_finite = false;      // for loss_scaling

  [[nodiscard]] constexpr bool clips_value() const noexcept { return !exactly(clip_value, 0); }
  [[nodiscard]] constexpr bool clips_norm() const noexcept { return !exactly(clip_norm, 0); }
  [[nodiscard]] constexpr bool decays() const noexcept { return !exactly(weight_decay, 0); }
  [[nodiscard]] constexpr bool decays_decoupled() const noexcept { return !exactly(decoupled_weight_decay, 0); }
  /// Returns true if the rule changes gradient or weights.
  [[nodiscard]] constexpr bool changes() const noexcept {
    return clips_value() || clips_norm() || decays() || decays_decoupled();
  }
  /// Returns the FLOP per weight.
  [[nodiscard]] constexpr unsigned flop() const noexcept {
    return (clips_norm() ? 1U : 0U) + (clips_value() ? 2U : 0U) + (decays() ? 2U : 0U) + (decays_decoupled() ? 2U : 0U);
  }
  friend constexpr bool operator==(const update_rule&, const update_rule&) = default;
};

/// Throws: value_error, naming `op`, unless all are finite and ≥ 0.
inline void check(const update_rule& r, std::string_view op = "update_rule") {
  const auto check_one = [&](std::string_view name, double value) {
    require<value_error>(std::isfinite(value) && value >= 0, op, ": ", name, " is ", value,
                         "; must be finite and >= 0");
  };
  check_one("rate_factor", r.rate_factor);
  check_one("weight_decay", r.weight_decay);
  check_one("decoupled_weight_decay", r.decoupled_weight_decay);
  check_one("clip_value", r.clip_value);
  check_one("clip_norm", r.clip_norm);
}

/// Returns the learning rate of weights under this rule.
[[nodiscard]] inline double ruled_rate(const update_rule& r, const step_state& s) noexcept {
  return r.rate_factor * s.learning_rate;
}
/// Returns true if this step has no update.
[[nodiscard]] inline bool skips(const update_rule& r, const step_state& s) noexcept {
  return r.skips_non_finite && !std::isfinite(s.gradient_squares);
}
/// Returns s of update_rule if it clips the norm. NaN for an infinite norm: a factor of 0 would hide the error.
[[nodiscard]] inline double clip_factor(const update_rule& r, const step_state& s) noexcept {
  const double norm = std::sqrt(s.gradient_squares);
  if (std::isinf(norm)) return std::numeric_limits<double>::quiet_NaN();
  return norm > r.clip_norm ? r.clip_norm / norm : 1;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

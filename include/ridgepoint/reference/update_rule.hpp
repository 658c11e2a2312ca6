// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/update_rule.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// An update_rule at one step, for one weight w and its gradient g at a time.
template <class Wide>
class ruled {
 public:
  ruled(const update_rule& rule, const step_state& state)
      : rule_(rule),
        scale_(static_cast<Wide>(clip_factor(rule, state))),
        limit_(static_cast<Wide>(rule.clip_value)),
        decay_(static_cast<Wide>(rule.weight_decay)),
        shrinkage_(static_cast<Wide>(ruled_rate(rule, state) * rule.decoupled_weight_decay)) {}
  /// min(max(s·g, −clip_value), clip_value) + weight_decay·w
  [[nodiscard]] Wide gradient(Wide g, const Wide& w) const {
    if (rule_.clips_norm()) g = scale_ * g;
    if (rule_.clips_value()) {
      g = g < -limit_ ? -limit_ : g;
      g = g > limit_ ? limit_ : g;
    }
    return rule_.decays() ? g + decay_ * w : g;
  }
  /// w − rate·decoupled_weight_decay·w
  [[nodiscard]] Wide weight(const Wide& w) const { return rule_.decays_decoupled() ? w - shrinkage_ * w : w; }

 private:
  update_rule rule_;
  Wide scale_, limit_, decay_, shrinkage_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

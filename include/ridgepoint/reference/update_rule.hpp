// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <limits>

#include <ridgepoint/ops/optimiser.hpp>
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

/// A mean of squares as T stores it: see ops/optimiser.hpp.
template <class T, class Wide>
[[nodiscard]] T stored_squares(const Wide& mean) {
  if constexpr (std::floating_point<T> && sizeof(T) < sizeof(Wide))
    return T((std::min)(mean, Wide((std::numeric_limits<T>::max)())));
  else return T(mean);
}

/// f(i, k) for each weight i that is updated, by element k of the gradient.
template <class Args, class F>
void for_each_updated(const Args& u, const F& f) {
  if (skips(u.rule, *u.state)) return;
  const listed_rows& l = u.listed;
  if (l.all())
    for (index_t i = 0; i < u.size; ++i) f(i, i);
  else
    for (index_t k = 0; k < l.count; ++k)
      if (l.rows[k] >= 0 && l.rows[k] < u.size / l.width)
        for (index_t j = 0; j < l.width; ++j) f(l.rows[k] * l.width + j, k * l.width + j);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include <ridgepoint/ops/adadelta.hpp>
#include <ridgepoint/ops/adam.hpp>
#include <ridgepoint/ops/momentum.hpp>
#include <ridgepoint/ops/optimiser.hpp>
#include <ridgepoint/ops/rmsprop_keras.hpp>
#include <ridgepoint/ops/rmsprop_tf1.hpp>
#include <ridgepoint/ops/sgd.hpp>
#include <ridgepoint/ops/step_state.hpp>
#include <ridgepoint/ops/sum_of_squares.hpp>
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

/// A mean of squares as stored in T: see ops/optimiser.hpp.
template <class T, class Wide>
[[nodiscard]] T stored_squares(const Wide& mean) {
  if constexpr (std::floating_point<T> && sizeof(T) < sizeof(Wide))
    return T((std::min)(mean, Wide((std::numeric_limits<T>::max)())));
  else return T(mean);
}

/// Calls f(i, k) for each updated weight i with element k of the gradient.
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

/// a ← rho·a + (1 − rho)·g²; u = g·√(d + epsilon) / √(a + epsilon); w ← w − rate·u; d ← rho·d + (1 − rho)·u².
template <scalar T>
void execute(const reference_backend&, const adadelta_update_args<T>& u) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const auto rho = static_cast<wide>(u.options.rho), rest = static_cast<wide>(1 - u.options.rho),
             epsilon = static_cast<wide>(u.options.epsilon), rate = static_cast<wide>(ruled_rate(u.rule, *u.state));
  const ruled<wide> by(u.rule, *u.state);
  for_each_updated(u, [&](index_t i, index_t k) {
    const wide w(u.w[i]), g = by.gradient(wide(u.g[k]), w), d(u.d[i]), a = rho * wide(u.a[i]) + rest * (g * g);
    const wide step = g * sqrt(d + epsilon) / sqrt(a + epsilon);
    u.a[i] = stored_squares<T>(a);
    u.w[i] = T(by.weight(w) - rate * step);
    u.d[i] = T(rho * d + rest * (step * step));
  });
}

/// m ← m + (1 − beta1)·(g − m); v ← v + (1 − beta2)·(g² − v); w ← w − rate_t·m / (√v + epsilon).
template <scalar T>
void execute(const reference_backend&, const adam_update_args<T>& u) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const auto& [beta1, beta2, epsilon_hat] = u.options;
  const auto rest1 = static_cast<wide>(1 - beta1), rest2 = static_cast<wide>(1 - beta2),
             epsilon = static_cast<wide>(epsilon_hat),
             rate = static_cast<wide>(adam_rate(u.options, ruled_rate(u.rule, *u.state), updates_done(*u.state)));
  const ruled<wide> by(u.rule, *u.state);
  for_each_updated(u, [&](index_t i, index_t k) {
    const wide w(u.w[i]), g = by.gradient(wide(u.g[k]), w), m_before(u.m[i]), v_before(u.v[i]);
    const wide m = m_before + rest1 * (g - m_before), v = v_before + rest2 * (g * g - v_before);
    u.m[i] = T(m);
    u.v[i] = stored_squares<T>(v);
    u.w[i] = T(by.weight(w) - rate * m / (sqrt(v) + epsilon));
  });
}

/// a ← momentum·a + g; w ← w − rate·a.
template <scalar T>
void execute(const reference_backend&, const momentum_update_args<T>& u) {
  using wide = accumulator_t<T>;
  const auto mu = static_cast<wide>(u.options.momentum), rate = static_cast<wide>(ruled_rate(u.rule, *u.state));
  const ruled<wide> by(u.rule, *u.state);
  for_each_updated(u, [&](index_t i, index_t k) {
    const wide w(u.w[i]), g = by.gradient(wide(u.g[k]), w), a = mu * wide(u.a[i]) + g;
    u.a[i] = T(a);
    u.w[i] = T(by.weight(w) - rate * a);
  });
}

/// a ← rho·a + (1 − rho)·g²; w ← w − rate·g / (√a + epsilon).
template <scalar T>
void execute(const reference_backend&, const rmsprop_keras_update_args<T>& u) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const auto rho = static_cast<wide>(u.options.rho), rest = static_cast<wide>(1 - u.options.rho),
             epsilon = static_cast<wide>(u.options.epsilon), rate = static_cast<wide>(ruled_rate(u.rule, *u.state));
  const ruled<wide> by(u.rule, *u.state);
  for_each_updated(u, [&](index_t i, index_t k) {
    const wide w(u.w[i]), g = by.gradient(wide(u.g[k]), w), a = rho * wide(u.a[i]) + rest * (g * g);
    u.a[i] = stored_squares<T>(a);
    u.w[i] = T(by.weight(w) - rate * g / (sqrt(a) + epsilon));
  });
}

/// ms ← ms + (1 − rho)·(g² − ms); mom ← momentum·mom + rate·g / √(ms + epsilon); w ← w − mom.
template <scalar T>
void execute(const reference_backend&, const rmsprop_tf1_update_args<T>& u) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const auto rest = static_cast<wide>(1 - u.options.rho), mu = static_cast<wide>(u.options.momentum),
             epsilon = static_cast<wide>(u.options.epsilon), rate = static_cast<wide>(ruled_rate(u.rule, *u.state));
  const ruled<wide> by(u.rule, *u.state);
  for_each_updated(u, [&](index_t i, index_t k) {
    const wide w(u.w[i]), g = by.gradient(wide(u.g[k]), w), ms_before(u.ms[i]),
                          ms = ms_before + rest * (g * g - ms_before);
    const wide mom = mu * wide(u.mom[i]) + rate * g / sqrt(ms + epsilon);
    u.ms[i] = stored_squares<T>(ms);
    u.mom[i] = T(mom);
    u.w[i] = T(by.weight(w) - mom);
  });
}

/// w ← w − rate·g.
template <scalar T>
void execute(const reference_backend&, const sgd_update_args<T>& u) {
  using wide = accumulator_t<T>;
  const auto rate = static_cast<wide>(ruled_rate(u.rule, *u.state));
  const ruled<wide> by(u.rule, *u.state);
  for_each_updated(u, [&](index_t i, index_t k) {
    const wide w(u.w[i]), g = by.gradient(wide(u.g[k]), w);
    u.w[i] = T(by.weight(w) - rate * g);
  });
}

/// step ← step + 1, learning_rate ← rate(step), and the next loss scale.
inline void execute(const reference_backend&, const advance_args& a) { end_step(a); }

/// gradient_squares ← Σ_i x(i)², summed in double; added to the previous value if `accumulate`.
template <scalar T>
void execute(const reference_backend&, const sum_of_squares_args<T>& a) {
  using wide = accumulator_t<T>;
  wide sum(0);
  for (index_t i = 0; i < a.size; ++i) {
    const wide x(a.x[i]);
    sum = sum + x * x;
  }
  a.state->gradient_squares = (a.accumulate ? a.state->gradient_squares : 0) + static_cast<double>(sum);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

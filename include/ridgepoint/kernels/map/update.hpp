// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/ops/update_rule.hpp>
#include <ridgepoint/simd/batch.hpp>

/// \file
/// Optimiser steps on a register, for map(): from (w, g, state…) to (w, state…). The formulas are those of ops/.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
struct sgd_step {
  using batch = simd::batch<T>;
  T rate;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch w, batch g) const noexcept {
    return {simd::fma(batch(-rate), g, w)};
  }
};

template <class T>
struct momentum_step {
  using batch = simd::batch<T>;
  T rate, momentum;
  RIDGEPOINT_INLINE std::array<batch, 2> operator()(batch w, batch g, batch a_before) const noexcept {
    const batch a = simd::fma(batch(momentum), a_before, g);
    return {simd::fma(batch(-rate), a, w), a};
  }
};

template <class T>
struct rmsprop_keras_step {
  using batch = simd::batch<T>;
  T rate, rho, rest, epsilon;
  RIDGEPOINT_INLINE std::array<batch, 2> operator()(batch w, batch g, batch a_before) const noexcept {
    const batch a = simd::fma(batch(rho), a_before, batch(rest) * (g * g));
    return {w - batch(rate) * g / (simd::sqrt(a) + batch(epsilon)), a};
  }
};

template <class T>
struct rmsprop_tf1_step {
  using batch = simd::batch<T>;
  T rate, rest, momentum, epsilon;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch w, batch g, batch ms_before,
                                                    batch mom_before) const noexcept {
    const batch ms = simd::fma(batch(rest), simd::fma(g, g, -ms_before), ms_before);
    const batch mom = simd::fma(batch(momentum), mom_before, batch(rate) * g / simd::sqrt(ms + batch(epsilon)));
    return {w - mom, ms, mom};
  }
};

template <class T>
struct adam_step {
  using batch = simd::batch<T>;
  T rate, rest1, rest2, epsilon;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch w, batch g, batch m_before, batch v_before) const noexcept {
    const batch m = simd::fma(batch(rest1), g - m_before, m_before);
    const batch v = simd::fma(batch(rest2), simd::fma(g, g, -v_before), v_before);
    return {w - batch(rate) * m / (simd::sqrt(v) + batch(epsilon)), m, v};
  }
};

template <class T>
struct adadelta_step {
  using batch = simd::batch<T>;
  T rate, rho, rest, epsilon;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch w, batch g, batch a_before, batch d_before) const noexcept {
    const batch a = simd::fma(batch(rho), a_before, batch(rest) * (g * g));
    const batch step = g * simd::sqrt(d_before + batch(epsilon)) / simd::sqrt(a + batch(epsilon));
    return {simd::fma(batch(-rate), step, w), a, simd::fma(batch(rho), d_before, batch(rest) * (step * step))};
  }
};

/// What an update_rule asks for, then an optimiser's step. What it does not ask for is not done.
template <class T, class Step>
class ruled_step {
 public:
  using batch = simd::batch<T>;
  ruled_step(const Step& step, const update_rule& rule, const step_state& state) noexcept
      : step_(step),
        rule_(rule),
        scale_(static_cast<T>(clip_factor(rule, state))),
        limit_(static_cast<T>(rule.clip_value)),
        decay_(static_cast<T>(rule.weight_decay)),
        shrinkage_(static_cast<T>(ruled_rate(rule, state) * rule.decoupled_weight_decay)) {}
  template <class... Own>
  RIDGEPOINT_INLINE auto operator()(batch w, batch g, Own... own) const noexcept {
    if (rule_.clips_norm()) g = batch(scale_) * g;
    if (rule_.clips_value()) g = simd::min(simd::max(g, batch(-limit_)), batch(limit_));
    if (rule_.decays()) g = simd::fma(batch(decay_), w, g);
    if (rule_.decays_decoupled()) w = simd::fma(batch(-shrinkage_), w, w);
    return step_(w, g, own...);
  }

 private:
  Step step_;
  update_rule rule_;
  T scale_, limit_, decay_, shrinkage_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <utility>

#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/kernels/map/update_kernels.hpp>
#include <ridgepoint/simd/batch.hpp>

/// \file
/// Optimiser steps on a register, for map(): from (w, g, state…) to (w, state…). The formulas are those of ops/.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {

template <class T>
struct sgd_step : sgd_update<T>::numbers {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch w, batch g) const noexcept {
    return {simd::fma(batch(-this->rate), g, w)};
  }
};

template <class T>
struct momentum_step : momentum_update<T>::numbers {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 2> operator()(batch w, batch g, batch a_before) const noexcept {
    const batch a = simd::fma(batch(this->momentum), a_before, g);
    return {simd::fma(batch(-this->rate), a, w), a};
  }
};

template <class T>
struct rmsprop_keras_step : rmsprop_keras_update<T>::numbers {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 2> operator()(batch w, batch g, batch a_before) const noexcept {
    const batch a = simd::fma(batch(this->rho), a_before, batch(this->rest) * (g * g));
    return {w - batch(this->rate) * g / (simd::sqrt(a) + batch(this->epsilon)), a};
  }
};

template <class T>
struct rmsprop_tf1_step : rmsprop_tf1_update<T>::numbers {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch w, batch g, batch ms_before,
                                                    batch mom_before) const noexcept {
    const batch ms = simd::fma(batch(this->rest), simd::fma(g, g, -ms_before), ms_before);
    const batch mom =
        simd::fma(batch(this->momentum), mom_before, batch(this->rate) * g / simd::sqrt(ms + batch(this->epsilon)));
    return {w - mom, ms, mom};
  }
};

template <class T>
struct adam_step : adam_update<T>::numbers {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch w, batch g, batch m_before, batch v_before) const noexcept {
    const batch m = simd::fma(batch(this->rest1), g - m_before, m_before);
    const batch v = simd::fma(batch(this->rest2), simd::fma(g, g, -v_before), v_before);
    return {w - batch(this->rate) * m / (simd::sqrt(v) + batch(this->epsilon)), m, v};
  }
};

template <class T>
struct adadelta_step : adadelta_update<T>::numbers {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch w, batch g, batch a_before, batch d_before) const noexcept {
    const batch a = simd::fma(batch(this->rho), a_before, batch(this->rest) * (g * g));
    const batch little(this->epsilon), step = g * simd::sqrt(d_before + little) / simd::sqrt(a + little);
    return {simd::fma(batch(-this->rate), step, w), a,
            simd::fma(batch(this->rho), d_before, batch(this->rest) * (step * step))};
  }
};

/// Applies an update_rule, then an optimiser's step. What a rule does not ask for is not done.
template <class T, class Step>
struct ruled_step {
  using batch = simd::batch<T>;
  Step step;
  update_changes<T> by;

  template <class... Own>
  RIDGEPOINT_INLINE auto operator()(batch w, batch g, Own... own) const noexcept {
    if (by.rule.clips_norm()) g = batch(by.scale) * g;
    if (by.rule.clips_value()) g = simd::min(simd::max(g, batch(-by.limit)), batch(by.limit));
    if (by.rule.decays()) g = simd::fma(batch(by.decay), w, g);
    if (by.rule.decays_decoupled()) w = simd::fma(batch(-by.shrinkage), w, w);
    return step(w, g, own...);
  }
};

/// Lines of a row that will be read and written, into the L2: more of them can be on their way than to the L1, which
/// for rows scattered over memory is twice as fast.
template <class T>
void fetch_row(T* row, index_t width) noexcept {
  for (index_t j = 0; j < width; j += 64 / static_cast<index_t>(sizeof(T))) __builtin_prefetch(row + j, 0, 2);
}

/// step(w, g, own…) on weights that follow one another, or row by row. map() is in one place, which is inlined there.
template <class T, class Step, std::size_t... Own>
void update_weights(const update_part<T>& p, const Step& step, std::index_sequence<Own...>) noexcept {
  constexpr std::size_t outputs = 1 + sizeof...(Own);
  constexpr index_t rows_ahead = 12;
  const listed_rows& l = p.listed;
  const bool all = l.all();
  const auto is_row = [&](index_t k) { return l.rows[k] >= 0 && l.rows[k] < p.rows; };
  for (index_t k = p.begin; k < p.end; k = all ? p.end : k + 1) {
    index_t weight = k, gradient = k, size = p.end - k;
    if (!all) {
      if (!is_row(k)) continue;
      weight = l.rows[k] * l.width, gradient = k * l.width, size = l.width;
      if (const index_t next = k + rows_ahead; next < p.end && is_row(next)) {
        const index_t ahead = l.rows[next] * l.width;
        fetch_row(p.w + ahead, size), (fetch_row(p.own[Own] + ahead, size), ...);
      }
    }
    map<T, outputs + 1, outputs>({p.w + weight, p.g + gradient, (p.own[Own] + weight)...},
                                 {p.w + weight, (p.own[Own] + weight)...}, size, step);
  }
}
template <std::size_t Own, class T, class Step>
void update_weights(const Step& step, const update_changes<T>& changes, const update_part<T>& part) noexcept {
  constexpr std::make_index_sequence<Own> own;
  if (changes.rule.changes()) update_weights(part, ruled_step<T, Step>{step, changes}, own);
  else update_weights(part, step, own);
}

}  // namespace detail

template <class T>
void sgd_update<T>::run(const numbers& step, const update_changes<T>& changes, const update_part<T>& part) noexcept {
  detail::update_weights<0>(detail::sgd_step<T>{step}, changes, part);
}
template <class T>
void momentum_update<T>::run(const numbers& step, const update_changes<T>& changes,
                             const update_part<T>& part) noexcept {
  detail::update_weights<1>(detail::momentum_step<T>{step}, changes, part);
}
template <class T>
void rmsprop_keras_update<T>::run(const numbers& step, const update_changes<T>& changes,
                                  const update_part<T>& part) noexcept {
  detail::update_weights<1>(detail::rmsprop_keras_step<T>{step}, changes, part);
}
template <class T>
void rmsprop_tf1_update<T>::run(const numbers& step, const update_changes<T>& changes,
                                const update_part<T>& part) noexcept {
  detail::update_weights<2>(detail::rmsprop_tf1_step<T>{step}, changes, part);
}
template <class T>
void adam_update<T>::run(const numbers& step, const update_changes<T>& changes, const update_part<T>& part) noexcept {
  detail::update_weights<2>(detail::adam_step<T>{step}, changes, part);
}
template <class T>
void adadelta_update<T>::run(const numbers& step, const update_changes<T>& changes,
                             const update_part<T>& part) noexcept {
  detail::update_weights<2>(detail::adadelta_step<T>{step}, changes, part);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

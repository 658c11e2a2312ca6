// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <limits>
#include <utility>

#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/kernels/map/update_kernels.hpp>
#include <ridgepoint/simd/math.hpp>

/// \file
/// Optimiser steps on a register, for map(): from (w, g, state…) to (w, state…). Formulas: see ops/.
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

/// Gradients, and means of their squares, scaled by a power of two, which keeps all digits.
template <class T>
struct unit_of_one {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE static batch in(batch x) noexcept { return x; }
  RIDGEPOINT_INLINE static batch from(batch x) noexcept { return x; }
  RIDGEPOINT_INLINE static batch in_squared(batch x) noexcept { return x; }
  RIDGEPOINT_INLINE static batch from_squared(batch x) noexcept { return x; }
};
template <class T>
struct unit_of_gradient {
  using batch = simd::batch<T>;
  batch down, up;
  RIDGEPOINT_INLINE batch in(batch x) const noexcept { return down * x; }
  RIDGEPOINT_INLINE batch from(batch x) const noexcept { return up * x; }
  RIDGEPOINT_INLINE batch in_squared(batch x) const noexcept { return down * (down * x); }
  RIDGEPOINT_INLINE batch from_squared(batch x) const noexcept {
    return (simd::min)(up * (up * x), batch((std::numeric_limits<T>::max)()));
  }
};
/// Calls step(unit) with a unit in which g² does not overflow if the mean of squares need not: 1 up to |g| = 2⁶², then
/// 2⁶⁶. The definition uses double, so the unit of double is 1.
template <class T, class Step>
RIDGEPOINT_INLINE auto with_squares_of(simd::batch<T> g, const Step& step) noexcept {
  using batch = simd::batch<T>;
  if constexpr (sizeof(T) < sizeof(double)) {
    const auto large = simd::abs(g) > batch(T(0x1p62));
    if (simd::any<T>(large)) [[unlikely]]
      return step(unit_of_gradient<T>{simd::select(large, batch(T(0x1p-66)), batch(T(1))),
                                      simd::select(large, batch(T(0x1p66)), batch(T(1)))});
  }
  return step(unit_of_one<T>{});
}

template <class T>
struct rmsprop_keras_step : rmsprop_keras_update<T>::numbers {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 2> operator()(batch w, batch g, batch a_before) const noexcept {
    return with_squares_of<T>(g, [&](const auto& unit) RIDGEPOINT_INLINE_LAMBDA -> std::array<batch, 2> {
      const batch u = unit.in(g);
      const batch a = simd::fma(batch(this->rho), unit.in_squared(a_before), batch(this->rest) * (u * u));
      return {w - batch(this->rate) * u / (simd::sqrt(a) + unit.in(batch(this->epsilon))), unit.from_squared(a)};
    });
  }
};

template <class T>
struct rmsprop_tf1_step : rmsprop_tf1_update<T>::numbers {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch w, batch g, batch ms_before,
                                                    batch mom_before) const noexcept {
    return with_squares_of<T>(g, [&](const auto& unit) RIDGEPOINT_INLINE_LAMBDA -> std::array<batch, 3> {
      const batch u = unit.in(g), before = unit.in_squared(ms_before);
      const batch ms = simd::fma(batch(this->rest), simd::fma(u, u, -before), before);
      const batch root = simd::sqrt(ms + unit.in_squared(batch(this->epsilon)));
      const batch mom = simd::fma(batch(this->momentum), mom_before, batch(this->rate) * u / root);
      return {w - mom, unit.from_squared(ms), mom};
    });
  }
};

template <class T>
struct adam_step : adam_update<T>::numbers {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch w, batch g, batch m_before, batch v_before) const noexcept {
    return with_squares_of<T>(g, [&](const auto& unit) RIDGEPOINT_INLINE_LAMBDA -> std::array<batch, 3> {
      const batch u = unit.in(g), before = unit.in_squared(v_before), mean = unit.in(m_before);
      const batch m = simd::fma(batch(this->rest1), u - mean, mean);
      const batch v = simd::fma(batch(this->rest2), simd::fma(u, u, -before), before);
      return {w - batch(this->rate) * m / (simd::sqrt(v) + unit.in(batch(this->epsilon))), unit.from(m),
              unit.from_squared(v)};
    });
  }
};

template <class T>
struct adadelta_step : adadelta_update<T>::numbers {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch w, batch g, batch a_before, batch d_before) const noexcept {
    return with_squares_of<T>(g, [&](const auto& unit) RIDGEPOINT_INLINE_LAMBDA -> std::array<batch, 3> {
      const batch u = unit.in(g), little(this->epsilon);
      const batch a = simd::fma(batch(this->rho), unit.in_squared(a_before), batch(this->rest) * (u * u));
      const batch step = u * simd::sqrt(d_before + little) / simd::sqrt(a + unit.in_squared(little));
      return {simd::fma(batch(-this->rate), step, w), unit.from_squared(a),
              simd::fma(batch(this->rho), d_before, batch(this->rest) * (step * step))};
    });
  }
};

/// Applies an update_rule, then an optimiser's step. Skips the parts that a rule does not use.
template <class T, class Step>
struct ruled_step {
  using batch = simd::batch<T>;
  Step step;
  update_changes<T> by;

  template <class... Own>
  RIDGEPOINT_INLINE auto operator()(batch w, batch g, Own... own) const noexcept {
    if (by.rule.clips_norm()) g = batch(by.scale) * (batch(by.unit) * g);
    if (by.rule.clips_value()) g = (simd::min)((simd::max)(g, batch(-by.limit)), batch(by.limit));
    if (by.rule.decays()) g = simd::fma(batch(by.decay), w, g);
    if (by.rule.decays_decoupled()) w = simd::fma(batch(-by.shrinkage), w, w);
    return step(w, g, own...);
  }
};

/// Prefetches lines of a row, which will be read and written, to L2. More prefetches can be in flight there than to L1;
/// this doubles the speed for rows scattered over memory.
template <class T>
void fetch_row(T* row, index_t width) noexcept {
  for (index_t j = 0; j < width; j += 64 / static_cast<index_t>(sizeof(T))) __builtin_prefetch(row + j, 0, 2);
}

/// Applies step(w, g, own…) to consecutive weights, or row by row. map() has one call site, where it is inlined.
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

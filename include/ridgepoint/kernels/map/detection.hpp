// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/kernels/map/loss_kernels.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/simd/math.hpp>

/// \file
/// The losses of a detection on a register, for map(): with Gradient first dy, then the summands.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// What logits count whose class is there, others, and all gradients.
template <class T>
struct focal_options {
  T there, absent, scale;
};

/// Summands a·r²·l and [(y > 0) = (t > 0.5)], with z = ±y, r = σ(−z), l = max(−z, 0) + ln(1 + e^−|z|);
/// dy = ∓scale·a·r²·(2·(1 − r)·l + r).
template <class T, bool Gradient>
struct focal_loss {
  using batch = simd::batch<T>;
  focal_options<T> options;
  RIDGEPOINT_INLINE auto operator()(batch y, batch t) const noexcept {
    const batch zero(T(0)), one(T(1)), half(T(0.5));
    const auto there = t > half;
    const batch z = simd::select(there, y, -y), a = simd::select(there, batch(options.there), batch(options.absent));
    const batch r = simd::sigmoid(-z), weighted = a * (r * r);
    const batch l = (simd::max)(-z, zero) + simd::log1p(simd::exp(-simd::abs(z)));
    const batch correct = simd::select(y > zero, simd::select(there, one, zero), simd::select(there, zero, one));
    if constexpr (Gradient) {
      const batch slope = batch(options.scale) * weighted * simd::fma(batch(T(2)) * (one - r), l, r);
      return std::array<batch, 3>{simd::select(there, -slope, slope), weighted * l, correct};
    } else {
      return std::array<batch, 2>{weighted * l, correct};
    }
  }
};

/// Summand h(e) of e = y − t: e²/2 up to |e| = delta, delta·(|e| − delta/2) beyond, 0 where t is NaN; dy = scale·h'(e).
template <class T, bool Gradient>
struct huber_loss {
  using batch = simd::batch<T>;
  T delta, scale;
  RIDGEPOINT_INLINE auto operator()(batch y, batch t) const noexcept {
    const batch zero(T(0)), limit(delta), half(T(0.5));
    const batch e = y - simd::select(t == t, t, y), size = simd::abs(e);
    const auto beyond = size > limit;
    const batch loss = simd::select(beyond, limit * (size - half * limit), half * e * e);
    if constexpr (Gradient) {
      const batch slope = simd::select(beyond, simd::select(e < zero, -limit, limit), e);
      return std::array<batch, 2>{batch(scale) * slope, loss};
    } else {
      return std::array<batch, 1>{loss};
    }
  }
};

/// Σ of the focal losses of n logits, how many are correct, and, unless dy is null, dy; dy may be y or t.
template <class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::array<double, 2> focal_sum(const T* y, const T* t, T* dy, index_t n,
                                                                  const focal_options<T>& options) noexcept {
  if (dy == nullptr) return map<T, 2, 0>({y, t}, {}, n, focal_loss<T, false>{options});
  return map<T, 2, 1>({y, t}, {dy}, n, focal_loss<T, true>{options});
}
/// The same of huber_loss: Σ of the losses.
template <class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::array<double, 1> huber_sum(const T* y, const T* t, T* dy, index_t n, T delta,
                                                                  T scale) noexcept {
  if (dy == nullptr) return map<T, 2, 0>({y, t}, {}, n, huber_loss<T, false>{delta, scale});
  return map<T, 2, 1>({y, t}, {dy}, n, huber_loss<T, true>{delta, scale});
}

template <class T>
std::array<double, 2> focal_chunk<T>::run(const T* y, const T* target, T* dy, index_t n, T alpha, T rest,
                                          T scale) noexcept {
  return focal_sum(y, target, dy, n, focal_options<T>{alpha, rest, scale});
}
template <class T>
std::array<double, 1> huber_chunk<T>::run(const T* y, const T* target, T* dy, index_t n, T delta, T slope) noexcept {
  return huber_sum(y, target, dy, n, delta, slope);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

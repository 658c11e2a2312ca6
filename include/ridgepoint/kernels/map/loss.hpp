// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <limits>

#include <ridgepoint/kernels/map/in_floats.hpp>
#include <ridgepoint/kernels/map/loss_kernels.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/simd/math.hpp>

/// \file
/// Element-wise losses on a register, for map(): with Gradient first dy, then the summands.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Summand (y − t)²; dy = scale·(y − t).
template <class T, bool Gradient>
struct squared_error {
  using batch = simd::batch<T>;
  T scale;
  RIDGEPOINT_INLINE auto operator()(batch y, batch t) const noexcept {
    const batch error = y - t, square = error * error;
    if constexpr (Gradient) return std::array<batch, 2>{batch(scale) * error, square};
    else return std::array<batch, 1>{square};
  }
};

/// Summands max(y, 0) − y·t + ln(1 + e^−|y|) and [(y > 0) = (t > 0.5)]; dy = scale·(σ(y) − t).
template <class T, bool Gradient>
struct logit_cross_entropy {
  using batch = simd::batch<T>;
  T scale;
  RIDGEPOINT_INLINE auto operator()(batch y, batch t) const noexcept {
    const batch zero(T(0)), one(T(1)), half(T(0.5));
    const batch loss = (simd::max)(y, zero) - y * t + simd::log1p(simd::exp(-simd::abs(y)));
    const batch correct = simd::select(y > zero, simd::select(t > half, one, zero), simd::select(t > half, zero, one));
    if constexpr (Gradient) return std::array<batch, 3>{batch(scale) * (simd::sigmoid(y) - t), loss, correct};
    else return std::array<batch, 2>{loss, correct};
  }
};

/// Σ (y − t)² of n elements and, unless dy is null, dy; dy may be y or t. Errors whose squares overflow T are squared
/// in double.
template <class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::array<double, 1> squared_error_sum(const T* y, const T* t, T* dy, index_t n,
                                                                          T scale) noexcept {
  const double sum = dy == nullptr ? map<T, 2, 0>({y, t}, {}, n, squared_error<T, false>{scale})[0]
                                   : map<T, 2, 1>({y, t}, {dy}, n, squared_error<T, true>{scale})[0];
  if (sizeof(T) == sizeof(double) || sum < std::numeric_limits<double>::infinity()) return {sum};
  const bool replaced = dy == y || dy == t;  // then the error is derived from dy
  return {sum_in_double(n, [&](index_t i) {
    const double error = replaced ? static_cast<double>(dy[i]) / static_cast<double>(scale)
                                  : static_cast<double>(y[i]) - static_cast<double>(t[i]);
    return error * error;
  })};
}
/// Σ of the cross-entropies of n logits, the number of correct ones, and, unless dy is null, dy; dy may be y or t.
template <class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::array<double, 2> logit_cross_entropy_sum(const T* y, const T* t, T* dy,
                                                                                index_t n, T scale) noexcept {
  if (dy == nullptr) return map<T, 2, 0>({y, t}, {}, n, logit_cross_entropy<T, false>{scale});
  return map<T, 2, 1>({y, t}, {dy}, n, logit_cross_entropy<T, true>{scale});
}

namespace detail {
/// sums(y, target, dy, n) of elements [begin, end), in float if they are bfloat16.
template <std::size_t N, class T, class Sums>
RIDGEPOINT_INLINE std::array<double, N> sum_chunk(const T* y, const T* target, T* dy, index_t begin, index_t end,
                                                  const Sums& sums) noexcept {
  if constexpr (std::same_as<T, bfloat16>) {
    std::array<double, N> total{};
    for_stretches<2>({target, y}, dy, begin, end, [&](auto& x, index_t n) {
      const std::array<double, N> some = sums(x[1], x[0], dy == nullptr ? nullptr : x[1], n);
      for (std::size_t s = 0; s < N; ++s) total[s] += some[s];
    });
    return total;
  } else {
    return sums(y + begin, target + begin, dy == nullptr ? nullptr : dy + begin, end - begin);
  }
}
}  // namespace detail

template <class T>
std::array<double, 1> mse_chunk<T>::run(const mse_args<T>& a, index_t begin, index_t end) noexcept {
  const auto scale = static_cast<compute_t<T>>(2 * a.weight / static_cast<double>(a.size));
  return detail::sum_chunk<1>(a.y, a.target, a.dy, begin, end, [&](auto* y, auto* target, auto* dy, index_t n) {
    return squared_error_sum(y, target, dy, n, scale);
  });
}
template <class T>
std::array<double, 2> binary_cross_entropy_chunk<T>::run(const binary_cross_entropy_args<T>& a, index_t begin,
                                                         index_t end) noexcept {
  const auto scale = static_cast<compute_t<T>>(a.weight / static_cast<double>(a.size));
  return detail::sum_chunk<2>(a.y, a.target, a.dy, begin, end, [&](auto* y, auto* target, auto* dy, index_t n) {
    return logit_cross_entropy_sum(y, target, dy, n, scale);
  });
}

// Detection losses on a register, for map(): with Gradient first dy, then the summands.

/// Weights of logits whose class is present, of other logits, and of all gradients.
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

/// Σ of the focal losses of n logits, the number of correct ones, and, unless dy is null, dy; dy may be y or t.
template <class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::array<double, 2> focal_sum(const T* y, const T* t, T* dy, index_t n,
                                                                  const focal_options<T>& options) noexcept {
  if (dy == nullptr) return map<T, 2, 0>({y, t}, {}, n, focal_loss<T, false>{options});
  return map<T, 2, 1>({y, t}, {dy}, n, focal_loss<T, true>{options});
}
/// Σ of the huber losses of n elements and, unless dy is null, dy; dy may be y or t.
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

// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include <ridgepoint/core/config.hpp>

/// \file
/// Tiles of Winograd's algorithm F(m×m, r×r), and of its gradient for the filter, F(r×r, m×m), e = m + r − 1:
///   y = Aᵀ[(G·w·Gᵀ) ⊙ (Bᵀ·x·B)]A / s²        for tiles of e×e of x, m×m of y
///   dw = Gᵀ[(A·dy·Aᵀ) ⊙ (Bᵀ·x·B)]G / s²      for the same tiles
/// They evaluate polynomials at 0, ±p₁ …, ±p_q, ∞ (e = 2q + 2), multiply the values, and interpolate. With Π(z) = ∏(z −
/// pⱼ²), and Πⱼ the same without factor j, the lines of the matrices are, for a point
///   0:    Bᵀ: Π(z²)             A: 1, 0, …      G: g₀, 0, …           g₀ = s / Π(0)
///   ±pⱼ:  Bᵀ: z(z ± pⱼ)Πⱼ(z²)   A: (±pⱼ)ⁱ       G: gⱼ(±pⱼ)ⁱ           gⱼ = s / (2pⱼ²Πⱼ(pⱼ²))
///   ∞:    Bᵀ: z·Π(z²)           A: …, 0, 1      G: …, 0, s
/// where a polynomial in z stands for its coefficients. All are exact in float: s makes those of G so.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd {

/// The finite points of tiles of `Edge` but 0, one of each pair, and s.
///
/// The smallest error of f32 summation has 4 points at 0, ±1; 6 at 0, ±5/8, ±3/2, whose error is less than half of that
/// with ±1 and ±2, the usual choice.
template <int Edge>
struct point_set;
template <>
struct point_set<4> {
  static constexpr std::array point{1.0};
  static constexpr double scale = 1;
};
template <>
struct point_set<6> {
  static constexpr std::array point{0.625, 1.5};
  static constexpr double scale = 225.0 * 119 / 16384;
};

/// The coefficients of transforms over `Edge` points.
template <int Edge>
struct interpolation : point_set<Edge> {
  static constexpr int edge = Edge, pairs = Edge / 2 - 1, points = edge * edge;
  using point_set<Edge>::point;
  using point_set<Edge>::scale;
  /// Of z⁰, z¹ …, z^q.
  using polynomial = std::array<double, static_cast<std::size_t>(pairs + 1)>;

  /// ∏(z − pᵢ²) over all i but `without`.
  [[nodiscard]] static constexpr polynomial product(int without = -1) noexcept {
    polynomial c{1};
    for (int i = 0, degree = 0; i < pairs; ++i) {
      if (i == without) continue;
      const double square = point[index(i)] * point[index(i)];
      for (int k = ++degree; k >= 0; --k) c[index(k)] = (k > 0 ? c[index(k - 1)] : 0) - square * c[index(k)];
    }
    return c;
  }
  /// pⱼⁱ.
  [[nodiscard]] static constexpr double power(int j, int i) noexcept {
    double p = 1;
    for (; i > 0; --i) p *= point[index(j)];
    return p;
  }
  /// g₀, and gⱼ.
  static constexpr double at_zero = scale / product()[0];
  [[nodiscard]] static constexpr double at_pair(int j) noexcept {
    const polynomial others = product(j);
    double value = 0;
    for (int k = pairs; k >= 0; --k) value = value * power(j, 2) + others[index(k)];
    return scale / (2 * power(j, 2) * value);
  }

 private:
  [[nodiscard]] static constexpr std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }
};

/// F(m×m, r×r).
template <int Results, int Taps>
struct tile : interpolation<Results + Taps - 1> {
  static constexpr int results = Results, taps = Taps;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd

// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>

/// \file
/// Tiles of Winograd's algorithm F(m×m, r×r), and of its filter gradient, F(r×r, m×m), e = m + r − 1:
///   y = Aᵀ[(G·w·Gᵀ) ⊙ (Bᵀ·x·B)]A / s²        for tiles of e×e of x, m×m of y
///   dw = Gᵀ[(A·dy·Aᵀ) ⊙ (Bᵀ·x·B)]G / s²      for the same tiles
/// They evaluate polynomials at 0, ±p₁ …, ±p_q, ∞ (e = 2q + 2), multiply the values, and interpolate. With Π(z) = ∏(z −
/// pⱼ²), and Πⱼ the same product without factor j, the lines of the matrices for a point are
///   0:    Bᵀ: Π(z²)             A: 1, 0, …      G: g₀, 0, …           g₀ = s / Π(0)
///   ±pⱼ:  Bᵀ: z(z ± pⱼ)Πⱼ(z²)   A: (±pⱼ)ⁱ       G: gⱼ(±pⱼ)ⁱ           gⱼ = s / (2pⱼ²Πⱼ(pⱼ²))
///   ∞:    Bᵀ: z·Π(z²)           A: …, 0, 1      G: …, 0, s
/// where a polynomial in z denotes its coefficients. All coefficients are exact in float; s makes G's exact.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd {

/// The finite nonzero points of tiles of `Edge`, one of each pair, and s.
///
/// The points with the smallest error in f32 are 0, ±1 for 4 points, and 0, ±5/8, ±3/2 for 6, with less than half
/// the error of the usual choice, ±1 and ±2.
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

/// Coefficients of transforms over `Edge` points.
template <int Edge>
struct interpolation : point_set<Edge> {
  static constexpr int edge = Edge, pairs = Edge / 2 - 1, points = edge * edge;
  using point_set<Edge>::point;
  using point_set<Edge>::scale;
  /// Coefficients of z⁰, z¹ …, z^q.
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

// FLOP of the transforms of Winograd's algorithm (winograd.hpp); an FMA counts as two.

/// FLOP of Bᵀ·d.
template <int Edge>
inline constexpr int input_flop = [] {
  constexpr int q = interpolation<Edge>::pairs;
  return 2 * 2 * q + q * (2 * 2 * (q - 1) + 4);
}();
/// FLOP of A·x, or G·x if `Scaled`, for `Count` values.
template <int Edge, int Count, bool Scaled>
inline constexpr int value_flop = interpolation<Edge>::pairs*((Count - 2) * 2 + 4 + (Scaled ? 1 : 0)) +
                                  (Scaled ? 2 : 0);
/// FLOP of Aᵀ·m, or Gᵀ·m if `Scaled`, for `Count` values.
template <int Edge, int Count, bool Scaled>
inline constexpr int interpolation_flop = [] {
  constexpr int q = interpolation<Edge>::pairs;
  return 2 * q + 2 * (2 * q + (Scaled ? 1 : 0)) + (Count - 2) * (2 * q - 1);
}();
/// FLOP of Bᵀ·x·B per channel.
template <int Edge>
inline constexpr int input_tile_flop = 2 * Edge* input_flop<Edge>;
/// FLOP of Aᵀ·m·A per channel.
template <class Tile>
inline constexpr int output_tile_flop =
    (Tile::edge + Tile::results) * interpolation_flop<Tile::edge, Tile::results, false>;
/// FLOP of A·dy·Aᵀ per channel.
template <class Tile>
inline constexpr int gradient_tile_flop = (Tile::edge + Tile::results) * value_flop<Tile::edge, Tile::results, false>;
/// FLOP of G·w·Gᵀ per line and column of the filter.
template <class Tile>
inline constexpr int filter_tile_flop = (Tile::edge + Tile::taps) * value_flop<Tile::edge, Tile::taps, true>;
/// FLOP of Gᵀ·m·G / s² per line and column of the filter.
template <class Tile>
inline constexpr int weights_tile_flop =
    (Tile::edge + Tile::taps) * interpolation_flop<Tile::edge, Tile::taps, true> + Tile::taps* Tile::taps;

/// Parameters of F(m×m, r×r) for the schedules: extents, and FLOP of its transforms.
struct tile_shape {
  index_t results = 0, taps = 0;  // per line
  index_t edge = 0, points = 0;
  int input_flop = 0, output_flop = 0, gradient_flop = 0, filter_flop = 0, weights_flop = 0;
};
template <class Tile>
inline constexpr tile_shape shape_of{Tile::results,
                                     Tile::taps,
                                     Tile::edge,
                                     Tile::points,
                                     input_tile_flop<Tile::edge>,
                                     output_tile_flop<Tile>,
                                     gradient_tile_flop<Tile>,
                                     filter_tile_flop<Tile>,
                                     weights_tile_flop<Tile>};
/// Calls f(tile) with the tile of `results` and `taps` per line.
template <class F>
decltype(auto) with_tile(index_t results, index_t taps, F&& f) {
  if (results == 4) return f(tile<4, 3>{});
  return taps == 3 ? f(tile<2, 3>{}) : f(tile<2, 5>{});
}

/// Distance between the planes of the points, `size` elements each.
template <class T>
[[nodiscard]] constexpr index_t plane_of(index_t size) noexcept {
  return round_up(size, line_elements<T>) + line_elements<T>;
}

/// Returns the taps of full tiles: windows of `width` every `step` pixels.
[[nodiscard]] constexpr tap_grid tiles_of(const tap_grid& line, index_t step, index_t width) noexcept {
  return {.results = ceil_div(line.results, step),
          .sources = line.sources,
          .step = step,
          .taps = {.count = width, .source = line.taps.source}};
}
/// Returns, as rows of patches, the edge×edge pixels read and the `results` written by tiles of a convolution of stride
/// 1.
template <class T>
[[nodiscard]] constexpr patches<T> tiles_of(const patches<T>& p, index_t results, index_t edge) noexcept {
  return {p.image, p.images, p.channels, tiles_of(p.rows, results, edge), tiles_of(p.columns, results, edge), p.pixel};
}
template <class T>
[[nodiscard]] constexpr patches<T> result_tiles_of(const patches<T>& p, index_t results, const T* first,
                                                   index_t channels, index_t pixel) noexcept {
  const auto full = [&](const tap_grid& line) {
    return tiles_of({.results = line.results, .sources = line.results}, results, results);
  };
  return {first, p.images, channels, full(p.rows), full(p.columns), pixel};
}
/// Elements of the copy of a tile's pixels.
template <class T>
[[nodiscard]] constexpr index_t copied_elements(vector_unit v, const patches<T>& tiles) noexcept {
  return tiles.depth() + v.lanes<T>();
}

/// Whether a sum is so short that its rounding, as one long sum, and that of the filter's transform would exceed half
/// the error of direct summation.
[[nodiscard]] constexpr bool is_short_sum(index_t depth) noexcept { return depth < 32; }
/// Number of parts in which a depth is summed, each up to 128.
[[nodiscard]] constexpr index_t parts_of_depth(index_t depth) noexcept {
  return depth >= 8 && is_short_sum(depth) ? 2 : ceil_div(depth, 128);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd

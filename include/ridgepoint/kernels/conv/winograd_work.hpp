// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/conv/winograd_tile.hpp>

/// \file
/// FLOP of the transforms of Winograd's algorithm (winograd_transforms.hpp): an FMA is two.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd {

/// Of Bᵀ·d.
template <int Edge>
inline constexpr int input_flop = [] {
  constexpr int q = interpolation<Edge>::pairs;
  return 2 * 2 * q + q * (2 * 2 * (q - 1) + 4);
}();
/// Of A·x, or G·x where it is `Scaled`, of `Count` values.
template <int Edge, int Count, bool Scaled>
inline constexpr int value_flop = interpolation<Edge>::pairs*((Count - 2) * 2 + 4 + (Scaled ? 1 : 0)) +
                                  (Scaled ? 2 : 0);
/// Of Aᵀ·m, or Gᵀ·m where it is `Scaled`, `Count` values.
template <int Edge, int Count, bool Scaled>
inline constexpr int interpolation_flop = [] {
  constexpr int q = interpolation<Edge>::pairs;
  return 2 * q + 2 * (2 * q + (Scaled ? 1 : 0)) + (Count - 2) * (2 * q - 1);
}();
/// Of Bᵀ·x·B for a channel.
template <int Edge>
inline constexpr int input_tile_flop = 2 * Edge* input_flop<Edge>;
/// Of Aᵀ·m·A for a channel.
template <class Tile>
inline constexpr int output_tile_flop =
    (Tile::edge + Tile::results) * interpolation_flop<Tile::edge, Tile::results, false>;
/// Of A·dy·Aᵀ for a channel.
template <class Tile>
inline constexpr int gradient_tile_flop = (Tile::edge + Tile::results) * value_flop<Tile::edge, Tile::results, false>;
/// Of G·w·Gᵀ for a line and column of the filter.
template <class Tile>
inline constexpr int filter_tile_flop = (Tile::edge + Tile::taps) * value_flop<Tile::edge, Tile::taps, true>;
/// Of Gᵀ·m·G / s² for a line and column of the filter.
template <class Tile>
inline constexpr int weights_tile_flop =
    (Tile::edge + Tile::taps) * interpolation_flop<Tile::edge, Tile::taps, true> + Tile::taps* Tile::taps;

/// F(m×m, r×r) as the schedules see it: extents, and FLOP of its transforms.
struct tile_shape {
  index_t results = 0, taps = 0;  // of a line
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
/// f(tile) with the tile of so many results and taps a line.
template <class F>
decltype(auto) with_tile(index_t results, index_t taps, F&& f) {
  if (results == 4) return f(tile<4, 3>{});
  return taps == 3 ? f(tile<2, 3>{}) : f(tile<2, 5>{});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd

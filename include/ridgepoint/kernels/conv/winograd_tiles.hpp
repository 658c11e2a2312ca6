// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/kernels/conv/winograd_work.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd {

/// Distance of the planes of the points, `size` elements each.
template <class T>
[[nodiscard]] constexpr index_t plane_of(index_t size) noexcept {
  return round_up(size, line_elements<T>) + line_elements<T>;
}

/// The taps of full tiles: windows of `width` every `step` pixels.
[[nodiscard]] constexpr tap_grid tiles_of(const tap_grid& line, index_t step, index_t width) noexcept {
  return {.results = ceil_div(line.results, step),
          .sources = line.sources,
          .step = step,
          .taps = {.count = width, .source = line.taps.source}};
}
/// The pixels that tiles of `results` of a convolution of stride 1 read, edge×edge, and those they write, as rows of
/// patches.
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

/// Sums so short that the rounding of one long sum, and that of the filter's transform, would be more than half of the
/// error of direct summation.
[[nodiscard]] constexpr bool is_short_sum(index_t depth) noexcept { return depth < 32; }
/// Parts in which a depth is summed: of 128 at most.
[[nodiscard]] constexpr index_t parts_of_depth(index_t depth) noexcept {
  return depth >= 8 && is_short_sum(depth) ? 2 : ceil_div(depth, 128);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd

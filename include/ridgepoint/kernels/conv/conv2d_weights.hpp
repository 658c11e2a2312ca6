// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/conv/conv2d.hpp>
#include <ridgepoint/kernels/conv/conv2d_weights_kernels.hpp>
#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/kernels/conv/winograd.hpp>
#include <ridgepoint/kernels/gemm/in_place.hpp>
#include <ridgepoint/kernels/map/column_sum.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {
/// line[i] ← address of the first window of row begin + i. Requires: copied(end - begin) elements at `copy`.
template <class T>
void find_windows(const window_rows<T>& of, index_t begin, index_t end, T* copy, const T** line) noexcept {
  const window_segments<T>& windows = of.windows;
  const index_t step = windows.rows(native_unit).result_row;
  while (begin < end) {
    const index_t image = begin / of.image_rows, r = begin % of.image_rows,
                  count = (std::min)(end - begin, of.image_rows - r);
    const T* from = windows.copies() ? copy : windows.band_at(image, r);
    if (windows.copies()) copy_band(windows, image, r, r + count, copy), copy += windows.band_elements(count);
    for (index_t i = 0; i < count; ++i, from += step) *line++ = from;
    begin += count;
  }
}

/// sum ← windowsᵀ · dy + β·sum for rows of results, and elements and columns from the given ones on; also
/// db ← Σ dy + β·db while dy is in cache.
template <class T>
void add_packed_weights(const weights_product<T>& p, const packed_weights_cut& s, const window_rows<T>& source,
                        index_t begin, index_t end, index_t element, index_t column, T* sum, T* db, T beta,
                        const packed_weights_memory<T>& memory) noexcept {
  constexpr index_t nr = panel_width<T>(native_unit);
  const segment_rows<T> lines = source.windows.rows(native_unit);
  const index_t f = p.columns, depth = p.source.depth(), width = (std::min)(s.columns, f - column),
                pixels = (end - begin) * lines.pixels;
  find_windows(source, begin, end, memory.copy, memory.line);
  const matrix_view<const T> gradients = p.gradients(begin * lines.pixels, pixels, column, width);
  if (s.panels > 0) pack_b_panels(gradients, memory.packed_b);
  const b_panels<T> b =
      s.panels > 0 ? b_panels<T>{memory.packed_b, pixels * nr} : b_panels<T>{gradients.data, nr, p.dy_ld};
  const index_t last = (std::min)(depth, element + s.elements);
  for (const auto [first, height, one] : tile_split::of(last - element, native_unit).one_by_one()) {
    const window_tile<T> windows_tile(lines, element + first, height);
    T* at = memory.packed_a;
    for (index_t i = 0; i < end - begin; ++i) at = windows_tile.pack(memory.line[i], at);
    const a_block<T> a{memory.packed_a, 0, a_block<T>::copies, 0, true, {}};
    block_times_panels(a, tile_split{1, height, 1}, b, width, pixels, sum + (element + first) * f + column, f,
                       {.beta = beta});
  }
  if (db != nullptr) add_columns(gradients, beta, db + column);
}

/// sum ← windowsᵀ · dy + β·sum, or its transpose, for rows of results [begin, end) and of taps [first, last).
template <class T>
void add_weights_in_place(const weights_product<T>& p, vectors_along along, const window_rows<T>& source, index_t begin,
                          index_t end, index_t first, index_t last, T* sum, T beta,
                          const weights_in_place_memory<T>& memory) noexcept {
  const bool transposes = along == vectors_along::taps;
  const T** const line = memory.line;
  const index_t f = p.columns;
  find_windows(source, begin, end, memory.copy, line);
  for (index_t i = 1; i < end - begin; ++i) memory.offsets[i - 1] = line[i] - line[0];
  const segment_rows<T> lines = source.windows.rows(native_unit);
  const T* const dy = p.dy + begin * lines.pixels * p.dy_ld;
  const index_t height = transposes ? f : lines.length, width = transposes ? lines.length : f;
  tile_run<T> tile{.k = lines.pixels,
                   .a_row = 1,
                   .a_step = transposes ? p.dy_ld : lines.pixel,
                   .segments = {.count = end - begin, .offsets = memory.offsets, .of_b = transposes},
                   .b_step = transposes ? lines.pixel : p.dy_ld,
                   .ldc = transposes ? p.source.depth() : f,
                   .epilogue = {.beta = beta}};
  const index_t segment = lines.length * (transposes ? 1 : f);  // elements of sum from one to the next
  for (const auto [i, mr, one] : tile_split::of(height, native_unit).one_by_one()) {
    const column_panels columns(width, widest_tile(native_unit, mr), simd::lanes<T>);
    for (const auto& [j, panels, nv, last_at, width_of_last] : columns) {
      tile.tiles = panels, tile.b_tile = nv * simd::lanes<T>, tile.c_tile = tile.b_tile;
      tile.last_at = last_at, tile.last = width_of_last, tile.narrow_b = width_of_last < simd::lanes<T>;
      tile.slices = tile_slices(mr, nv, lines.pixels);
      tile.leave(native_unit, nv);
      for (index_t t = first; t < last; ++t)
        for (index_t c = 0; c < lines.per_tap_row; ++c) {
          const T* const window = line[0] + t * lines.tap_row + c * lines.tap;
          tile_in_place<T>(mr, nv)(tile, (transposes ? dy : window) + i, (transposes ? window : dy) + j,
                                   sum + i * tile.ldc + j + (t * lines.per_tap_row + c) * segment);
        }
    }
  }
}

template <class Tile, class T>
void add_winograd_weights(const weights_product<T>& p, const winograd_weights_cut& s, T* dw, index_t first,
                          index_t last, const winograd_memory<T>& memory) noexcept {
  namespace wg = winograd;
  constexpr index_t nr = panel_width<T>(native_unit);
  const index_t channels = p.source.channels, f = p.columns, width = round_up(f, simd::lanes<T>);
  const patches<T> tiles = wg::tiles_of(p.source, Tile::results, Tile::edge),
                   result_tiles = wg::result_tiles_of(p.source, Tile::results, p.dy, f, p.dy_ld);
  for (index_t begin = first; begin < last; begin += s.part) {
    const index_t end = (std::min)(last, begin + s.part);
    wg::transform_input<Tile::edge>(tiles, begin, end, memory.v, s.v_ld, s.v_plane, memory.copy);
    wg::transform_gradient<Tile>(result_tiles, begin, end, memory.d, s.part * nr, s.d_plane, memory.copy);
    wg::point_products<T>{.points = Tile::points,
                          .a = matrix_view<const T>(memory.v, end - begin, channels, s.v_ld).transposed(),
                          .a_plane = s.v_plane,
                          .b = {memory.d, s.part * nr},
                          .b_plane = s.d_plane,
                          .c = {memory.m, channels, width},
                          .c_plane = s.m_plane,
                          .beta = T(begin == first ? 0 : 1),
                          .depth_parts = ceil_div(end - begin, 128)}
        .run(memory.packed_a, [](index_t) {});
  }
  wg::transform_weights<Tile>(memory.m, width, s.m_plane, channels, f, dw, f, channels * f);
}
}  // namespace detail

template <class T>
void conv2d_packed_weights<T>::run(const weights_product<T>& p, const packed_weights_cut& s, T* dw, std::byte* sums,
                                   index_t part, const packed_weights_memory<T>& memory) noexcept {
  const window_rows<T> source(p.source);
  const index_t number = part / (s.element_parts * s.column_parts), first = s.chunks.begin(number),
                end = s.chunks.end(number);
  const index_t element = part / s.column_parts % s.element_parts * s.elements,
                column = part % s.column_parts * s.columns;
  T* const sum = s.chunks.sum(number, dw, sums);
  T* const db = p.db == nullptr || element > 0 ? nullptr : s.biases.sum(number, p.db, sums + s.chunks.bytes);
  for (index_t row = first; row < end; row += s.rows)
    detail::add_packed_weights(p, s, source, row, (std::min)(end, row + s.rows), element, column, sum, db,
                               T(row == first ? 0 : 1), memory);
}

template <class T>
void conv2d_weights_in_place<T>::run(const weights_product<T>& p, const weights_in_place_cut& s, T* dw, std::byte* sums,
                                     index_t part, const weights_in_place_memory<T>& memory) noexcept {
  const window_rows<T> source(p.source);
  const bool transposes = s.along == vectors_along::taps;
  const index_t tap_rows = p.source.rows.taps.count, depth = p.source.depth(), f = p.columns;
  const index_t number = part / s.parts_of_taps, i = part % s.parts_of_taps, end = s.chunks.end(number);
  const index_t first = i * tap_rows / s.parts_of_taps, last = (i + 1) * tap_rows / s.parts_of_taps;
  T* const sum = s.chunks.sum(number, dw, sums);
  T* const to = transposes ? memory.transposed : sum;
  T* const db = p.db == nullptr || first > 0 ? nullptr : s.biases.sum(number, p.db, sums + s.chunks.bytes);
  for (index_t row = s.chunks.begin(number); row < end; row += s.rows) {
    const index_t some = (std::min)(s.rows, end - row), pixels = source.pixels;
    const T beta(row == s.chunks.begin(number) ? 0 : 1);
    detail::add_weights_in_place(p, s.along, source, row, row + some, first, last, to, beta, memory);
    if (db != nullptr) add_columns(p.gradients(row * pixels, some * pixels, 0, f), beta, db);
  }
  if (!transposes) return;
  const index_t tap_row = depth / tap_rows;
  for (index_t e = first * tap_row; e < last * tap_row; ++e)
    for (index_t j = 0; j < f; ++j) sum[e * f + j] = to[j * depth + e];
}

template <class T>
void conv2d_winograd_weights<T>::run(const weights_product<T>& p, const winograd_weights_cut& s, T* dw, std::byte* sums,
                                     index_t chunk, const winograd_memory<T>& memory) noexcept {
  winograd::with_tile(s.results, s.taps, [&]<class Tile>(Tile) {
    detail::add_winograd_weights<Tile>(p, s, s.chunks.sum(chunk, dw, sums), s.chunks.begin(chunk), s.chunks.end(chunk),
                                       memory);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/conv/conv2d_kernels.hpp>
#include <ridgepoint/kernels/conv/winograd.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {
/// Transforms lines of one panel of the filter, in double if sums are short.
template <class Tile, class T>
void transform_panel(const conv_product<T>& p, index_t panel, T* u, index_t u_plane) noexcept {
  constexpr index_t nr = panel_width<T>(native_unit), taps = Tile::taps * Tile::taps, at_once = 4;
  const index_t lines = p.source.channels, j = panel * nr, width = (std::min)(nr, p.columns() - j);
  alignas(alignment_bytes) T packed[taps * at_once * nr];
  alignas(alignment_bytes) double wide[taps * at_once * nr], wide_u[Tile::points * at_once * nr];
  for (index_t k = 0; k < lines; k += at_once) {
    const index_t some = (std::min)(at_once, lines - k), size = some * nr;
    for (index_t tap = 0; tap < taps; ++tap)
      pack_b_panel(p.filter_of(tap / Tile::taps, tap % Tile::taps).block(k, j, some, width), packed + tap * size);
    if (!winograd::is_short_sum(lines)) {
      winograd::transform_filter<Tile>(packed, size, u + k * nr, u_plane);
      continue;
    }
    std::copy_n(packed, taps * size, wide);
    winograd::transform_filter<Tile>(wide, size, wide_u, size);
    for (index_t point = 0; point < Tile::points; ++point)
      std::transform(wide_u + point * size, wide_u + (point + 1) * size, u + point * u_plane + k * nr,
                     [](double x) { return static_cast<T>(x); });
  }
}

/// Returns the pixels that the tiles of a product write, and those that their centres read.
template <class Tile, class T>
[[nodiscard]] winograd::tiled_images<T> results_in_tiles(const conv_product<T>& p) noexcept {
  const index_t rows = p.source.rows.results, columns = p.source.columns.results;
  return {Tile::results, p.results, rows, columns, p.columns(), p.image_step, p.row_step, p.pixel_step};
}
template <class Tile, class T>
[[nodiscard]] winograd::tiled_images<const T> sources_in_tiles(const patches<T>& p) noexcept {
  const index_t rows = p.rows.sources, columns = p.columns.sources, row = columns * p.pixel;
  return {Tile::results, p.image, rows, columns, p.channels, rows * row, row, p.pixel};
}

/// Part i of `count` of the range [begin, end).
struct share {
  index_t begin, end;
  share(index_t begin_, index_t end_, index_t i, index_t count) noexcept
      : begin(begin_ + (end_ - begin_) * i / count), end(begin_ + (end_ - begin_) * (i + 1) / count) {}
};

/// Computes V for the tiles of a part, then M and the results for each group of columns.
template <class Tile, class T>
void winograd_part(const conv_product<T>& p, const winograd_cut& s, const T* filter, index_t part,
                   const winograd_memory<T>& memory) noexcept {
  namespace wg = winograd;
  constexpr index_t nr = panel_width<T>(native_unit);
  const wg::tiled_images<T> results = results_in_tiles<Tile>(p);
  const wg::tiled_images<const T> sources = sources_in_tiles<Tile>(p.source);
  const patches<T> tiles = wg::tiles_of(p.source, Tile::results, Tile::edge);
  const index_t begin = part * s.part, end = (std::min)(s.count, begin + s.part), columns = p.columns(),
                channels = p.source.channels;
  wg::transform_input<Tile::edge>(tiles, begin, end, memory.v, s.v_ld, s.v_plane, memory.copy);
  const index_t next_end = (std::min)(s.count, end + s.part), groups = ceil_div(columns, s.group);
  for (index_t j = 0; j < columns; j += s.group) {
    const index_t width = (std::min)(s.group, columns - j);
    const wg::tiled_images<T> y = results.from_channel(j, width);
    wg::point_products<T>{.points = Tile::points,
                          .a = {memory.v, end - begin, channels, s.v_ld},
                          .a_plane = s.v_plane,
                          .b = {filter + j / nr * s.u_panel, s.u_panel, nr, s.fetched},
                          .b_plane = s.u_plane,
                          .c = {memory.m, end - begin, round_up(width, simd::lanes<T>), s.group},
                          .c_plane = s.m_plane,
                          .depth_parts = wg::parts_of_depth(channels)}
        .run(memory.packed_a, [&](index_t point) {
          const share written(begin, end, point, Tile::points),
              read(end, next_end, j / s.group * Tile::points + point, groups * Tile::points);
          wg::fetch_tiles(tiles, y, written.begin, written.end);
          wg::fetch_tiles(tiles, sources, read.begin, read.end);
        });
    wg::transform_output<Tile>(tiles, begin, end, memory.m, s.group, s.m_plane,
                               p.options.bias == nullptr ? nullptr : p.options.bias + j, p.options.act, y);
    wg::finish_tiles(tiles, begin, end, p.options.act, y);
  }
}
}  // namespace detail

template <class T>
void winograd_filter_panel<T>::run(const conv_product<T>& p, const winograd_cut& s, index_t panel, T* to) noexcept {
  winograd::with_tile(s.results, s.taps,
                      [&]<class Tile>(Tile) { detail::transform_panel<Tile>(p, panel, to, s.u_plane); });
}
template <class T>
void conv2d_winograd<T>::run(const conv_product<T>& p, const winograd_cut& s, const T* filter, index_t part,
                             const winograd_memory<T>& memory) noexcept {
  winograd::with_tile(s.results, s.taps,
                      [&]<class Tile>(Tile) { detail::winograd_part<Tile>(p, s, filter, part, memory); });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop

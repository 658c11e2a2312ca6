// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <string_view>

#include <ridgepoint/cpu/conv2d_product.hpp>
#include <ridgepoint/kernels/conv/winograd.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Types that Winograd's algorithm is compiled for.
template <class T>
concept winograd_element = std::same_as<T, float>;

/// f(tile) with the tile by which an algorithm computes a filter of so many taps a row.
template <class F>
auto with_winograd_tile(conv_algorithm algorithm, index_t taps, F&& f) {
  namespace wg = kernels::winograd;
  if (algorithm == conv_algorithm::winograd_4x4) return f(wg::tile<4, 3>{});
  return taps == 3 ? f(wg::tile<2, 3>{}) : f(wg::tile<2, 5>{});
}

/// Throws: unsupported where a pass is told to be computed by Winograd's algorithm and can not.
template <class T>
void check_algorithm(std::string_view op, const conv2d_geometry& g, conv_algorithm told) {
  require<unsupported>(!is_winograd(told) || (winograd_element<T> && winograd_takes(told, g)), op, ": ", to_string(g),
                       " of ", sizeof(T), " bytes an element; Winograd needs 3x3 taps of float, or 5x5 ",
                       "for 2x2 results, stride and dilation 1");
}
template <class T>
void check_algorithm(const conv2d_args<T>& a) {
  check_algorithm<T>("conv2d", a.geometry, a.algorithm);
}
template <class T>
void check_algorithm(const conv2d_backward_data_args<T>& a) {
  check_algorithm<T>("conv2d_backward_data", a.geometry, a.algorithm);
}
template <class T>
void check_algorithm(const conv2d_backward_weights_args<T>& a) {
  check_algorithm<T>("conv2d_backward_weights", a.geometry, a.algorithm);
}

/// offer(algorithm) for those of Winograd's that a pass may be computed by, of sums of so many products. Unless it is
/// told, sums are long enough for its error to be at most twice that of direct summation.
template <class T, class Offer>
void offer_winograd(const conv2d_geometry& g, conv_algorithm told, index_t sum, Offer&& offer) {
  if constexpr (winograd_element<T>) {
    if (told != conv_algorithm::winograd && (told != conv_algorithm::automatic || sum < 16)) return;
    for (const conv_algorithm tile : {conv_algorithm::winograd_4x4, conv_algorithm::winograd_2x2})
      if (winograd_takes(tile, g)) offer(tile);
  }
}

/// Sums so short that the rounding of one long sum, and that of the filter's transform, would be more than half of the
/// error, beside those of direct summation that are so few.
[[nodiscard]] constexpr bool is_short_sum(index_t depth) noexcept { return depth < 32; }
/// Parts in which a depth is summed: of 128 at most.
[[nodiscard]] constexpr index_t parts_of_depth(index_t depth) noexcept {
  return depth >= 8 && is_short_sum(depth) ? 2 : ceil_div(depth, 128);
}

/// Lines [first, first + lines) of one panel of the filter, transformed, in double where sums are short.
template <class Tile, class T>
void transform_panel(const conv_product<T>& p, index_t panel, index_t first, index_t lines, T* u,
                     index_t u_plane) noexcept {
  constexpr index_t nr = kernels::panel_width<T>(kernels::native_unit), taps = Tile::taps * Tile::taps, at_once = 4;
  const index_t j = panel * nr, width = std::min(nr, p.columns() - j);
  alignas(alignment_bytes) T packed[taps * at_once * nr];
  alignas(alignment_bytes) double wide[taps * at_once * nr], wide_u[Tile::points * at_once * nr];
  for (index_t k = 0; k < lines; k += at_once) {
    const index_t some = std::min(at_once, lines - k), size = some * nr;
    for (index_t tap = 0; tap < taps; ++tap)
      kernels::pack_b_panel(p.filter_of(tap / Tile::taps, tap % Tile::taps).block(first + k, j, some, width),
                            packed + tap * size);
    if (!is_short_sum(p.source.channels)) {
      kernels::winograd::transform_filter<Tile>(packed, size, u + k * nr, u_plane);
      continue;
    }
    std::copy_n(packed, taps * size, wide);
    kernels::winograd::transform_filter<Tile>(wide, size, wide_u, size);
    for (index_t point = 0; point < Tile::points; ++point)
      std::transform(wide_u + point * size, wide_u + (point + 1) * size, u + point * u_plane + k * nr,
                     [](double x) { return static_cast<T>(x); });
  }
}

/// What the tiles of a product write, and what their middles read.
template <class Tile, class T>
[[nodiscard]] kernels::winograd::tiled_images<T> results_in_tiles(const conv_product<T>& p) noexcept {
  const index_t rows = p.source.rows.results, columns = p.source.columns.results;
  return {Tile::results, p.results, rows, columns, p.columns(), p.image_step, p.row_step, p.pixel_step};
}
template <class Tile, class T>
[[nodiscard]] kernels::winograd::tiled_images<const T> sources_in_tiles(const kernels::patches<T>& p) noexcept {
  const index_t rows = p.rows.sources, columns = p.columns.sources, row = columns * p.pixel;
  return {Tile::results, p.image, rows, columns, p.channels, rows * row, row, p.pixel};
}

/// The part of [begin, end) that is number i of `count`.
struct share {
  index_t begin, end;
  share(index_t begin_, index_t end_, index_t i, index_t count) noexcept
      : begin(begin_ + (end_ - begin_) * i / count), end(begin_ + (end_ - begin_) * (i + 1) / count) {}
};

/// How the tiles' algorithm is called.
template <class Tile>
inline constexpr const char* winograd_name = Tile::results == 4 ? "winograd 4x4" : "winograd 2x2";

/// How a convolution of tiles is cut: parts of tiles that threads compute, whose V and M fill two fifths of L2, or more
/// than all of it where the filter, read once for each part, is much larger; the filter in panels of columns. What a
/// tile becomes does not depend on its part.
template <class T, class Tile>
struct winograd_schedule {
  static constexpr const char* algorithm = winograd_name<Tile>;
  kernels::patches<T> tiles;
  index_t count = 0, part = 0;                 // tiles
  index_t channels = 0, columns = 0;           // of the source; of the results
  index_t group = 0;                           // columns computed at once
  index_t v_ld = 0, v_plane = 0, m_plane = 0;  // of V and M of a part
  index_t u_plane = 0, u_panel = 0;            // of the transformed filter
  index_t copied = 0, packed_a = 0;
  index_t packed = 0, fetched = 0;  // elements of the filter; so many ahead of those that are read
  std::size_t worker_bytes = 0;

  explicit winograd_schedule(const conv_product<T>& p) noexcept
      : tiles(kernels::winograd::tiles_of<Tile>(p.source)),
        count(tiles.pixels()),
        channels(p.source.channels),
        columns(p.columns()) {
    namespace wg = kernels::winograd;
    constexpr index_t size = sizeof(T), nr = kernels::panel_width<T>(kernels::native_unit),
                      mr = kernels::tile_rows(kernels::native_unit);
    constexpr index_t panels_at_once = kernels::replicates_a<T>(kernels::native_unit) ? 8 : 1;  // for which A is packed
    group = std::min(round_up(columns, simd::lanes<T>), panels_at_once * nr);
    v_ld = kernels::row_distance<T>(round_up(channels, simd::lanes<T>));
    const index_t tile_bytes = Tile::points * (v_ld + group) * size;
    u_plane = wg::plane_of<T>(channels * nr);
    u_panel = Tile::points * u_plane;
    packed = ceil_div(columns, nr) * u_panel;
    const index_t l2 = gemm_host_caches().l2;
    const bool streams = packed * size > 2 * l2;  // the filter, from beyond it
    const index_t fill = streams ? l2 * 4 / 3 : l2 * 2 / 5;
    fetched = streams ? 4096 / size : 0;
    part = std::clamp<index_t>(fill / tile_bytes, 2 * mr, 16 * mr);
    part = count <= part ? count : std::min(part / mr * mr, round_up(ceil_div(count, ceil_div(count, part)), mr));
    v_plane = wg::plane_of<T>(part * v_ld);
    m_plane = wg::plane_of<T>(part * group);
    copied = wg::copied_elements(tiles);
    packed_a = kernels::replicates_a<T>(kernels::native_unit)
                   ? part * channels * kernels::a_block<T>::copies + 2 * simd::lanes<T>
                   : 0;
    worker_bytes = piece_bytes<T>(Tile::points * v_plane) + piece_bytes<T>(Tile::points * m_plane) +
                   piece_bytes<T>(copied) + piece_bytes<T>(packed_a);
  }

  [[nodiscard]] index_t parts() const noexcept { return count == 0 ? 0 : ceil_div(count, part); }
  /// What it executes: whole registers of whole tiles; the filter's transform unless that is constant.
  [[nodiscard]] work executed(const conv_product<T>&, filter_is filter) const noexcept {
    namespace wg = kernels::winograd;
    const auto many = [](index_t a, index_t b) {
      return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
    };
    const index_t depth = round_up(channels, simd::lanes<T>), width = round_up(columns, simd::lanes<T>);
    const std::uint64_t products = 2 * Tile::points * many(count * channels, width);
    const std::uint64_t transforms =
        wg::input_tile_flop<Tile::edge> * many(count, depth) + wg::output_tile_flop<Tile> * many(count, width) +
        wg::filter_tile_flop<Tile> *
            (filter == filter_is::constant
                 ? 0
                 : many(channels, round_up(columns, kernels::panel_width<T>(kernels::native_unit))));
    return {.flop = products + transforms, .matrix_flop = products};
  }
  /// The filter of a product, transformed: its panels one after the other, in them planes of the points.
  void pack(const native_cpu& on, const conv_product<T>& p, T* to) const {
    parallel_for(on.thread_count(), ceil_div(columns, kernels::panel_width<T>(kernels::native_unit)),
                 [&](index_t panel) { transform_panel<Tile>(p, panel, 0, channels, to + panel * u_panel, u_plane); });
  }
  /// The convolution, part by part: V of its tiles, then for each group of columns M and the results.
  /// Requires: what pack() makes at `filter`; worker_bytes for every thread at `workers`.
  void run(const native_cpu& on, const conv_product<T>& p, const T* filter, std::byte* workers) const {
    namespace wg = kernels::winograd;
    constexpr index_t nr = kernels::panel_width<T>(kernels::native_unit);
    const wg::tiled_images<T> results = results_in_tiles<Tile>(p);
    const wg::tiled_images<const T> sources = sources_in_tiles<Tile>(p.source);
    parallel_for(on.thread_count(), parts(), [&](index_t number, index_t worker) {
      T* const v = reinterpret_cast<T*>(workers + static_cast<std::size_t>(worker) * worker_bytes);
      T* const m = v + Tile::points * v_plane;
      T* const copy = m + Tile::points * m_plane;
      T* const a_memory = packed_a > 0 ? copy + piece_bytes<T>(copied) / sizeof(T) : nullptr;
      const index_t begin = number * part, end = std::min(count, begin + part);
      wg::transform_input<Tile::edge>(tiles, begin, end, v, v_ld, v_plane, copy);
      const index_t next_end = std::min(count, end + part), groups = ceil_div(columns, group);
      for (index_t j = 0; j < columns; j += group) {
        const index_t width = std::min(group, columns - j);
        const wg::tiled_images<T> y = results.from_channel(j, width);
        wg::point_products<T>{.points = Tile::points,
                              .a = {v, end - begin, channels, v_ld},
                              .a_plane = v_plane,
                              .b = {filter + j / nr * u_panel, u_panel, nr, fetched},
                              .b_plane = u_plane,
                              .c = {m, end - begin, round_up(width, simd::lanes<T>), group},
                              .c_plane = m_plane,
                              .depth_parts = parts_of_depth(channels)}
            .run(a_memory, [&](index_t point) {
              const share written(begin, end, point, Tile::points),
                  read(end, next_end, j / group * Tile::points + point, groups * Tile::points);
              wg::fetch_tiles(tiles, y, written.begin, written.end);
              wg::fetch_tiles(tiles, sources, read.begin, read.end);
            });
        wg::transform_output<Tile>(tiles, begin, end, m, group, m_plane,
                                   p.options.bias == nullptr ? nullptr : p.options.bias + j, p.options.act, y);
        wg::finish_tiles(tiles, begin, end, p.options.act, y);
      }
    });
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

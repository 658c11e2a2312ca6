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

/// What the choice of an algorithm needs to know of a pass: the results of one image, and whether it transforms the
/// filter, beside which there must be tiles enough.
struct winograd_question {
  std::string_view op;
  conv_algorithm wanted;
  index_t rows, columns;
  bool of_filter;
};
template <class T>
[[nodiscard]] winograd_question winograd_question_of(const conv2d_args<T>& a) noexcept {
  return {"conv2d", a.algorithm, a.geometry.oh(), a.geometry.ow(), true};
}
template <class T>
[[nodiscard]] winograd_question winograd_question_of(const conv2d_backward_data_args<T>& a) noexcept {
  return {"conv2d_backward_data", a.algorithm, a.geometry.h, a.geometry.w, true};
}
template <class T>
[[nodiscard]] winograd_question winograd_question_of(const conv2d_backward_weights_args<T>& a) noexcept {
  return {"conv2d_backward_weights", a.algorithm, a.geometry.oh(), a.geometry.ow(), false};
}

/// Whether a pass is computed by Winograd's algorithm: told to, or where that is likely to take less time: there are 16
/// channels on both sides, it multiplies at most half as much, cut tiles included, and there are tiles enough: it reads
/// four times the filter, and writes it unless that is constant.
/// Throws: unsupported where it is told to and can not be.
template <class T, template <class> class Args>
[[nodiscard]] bool takes_winograd(const Args<T>& a, filter_is filter) {
  const conv2d_geometry& g = a.geometry;
  const winograd_question q = winograd_question_of(a);
  const bool suits =
      winograd_element<T> && g.kh == 3 && g.kw == 3 && g.stride == spatial(1) && g.dilation == spatial(1);
  require<unsupported>(suits || q.wanted != conv_algorithm::winograd, q.op, ": ", to_string(g), " of ", sizeof(T),
                       " bytes an element; Winograd needs 3x3 taps of float, stride and dilation 1");
  if (!suits || q.wanted == conv_algorithm::winograd) return suits;
  const index_t tiles = ceil_div(q.rows, 4) * ceil_div(q.columns, 4);
  const index_t fewest = q.of_filter ? g.group_c() * g.group_f() / (filter == filter_is::constant ? 16384 : 4096) : 0;
  return q.wanted == conv_algorithm::automatic && std::min(g.group_c(), g.group_f()) >= 16 &&
         36 * tiles * 2 <= 9 * q.rows * q.columns && g.n * tiles >= std::max<index_t>(8, fewest);
}

/// The algorithm of a pass: Winograd's, or the one it was told, exact where it was told none.
template <class Args>
[[nodiscard]] conv_algorithm algorithm_of(const Args& a, filter_is filter = filter_is::given) {
  if (takes_winograd(a, filter)) return conv_algorithm::winograd;
  return a.algorithm == conv_algorithm::automatic ? conv_algorithm::exact : a.algorithm;
}

/// Lines [first, first + lines) of one panel of the filter, transformed.
template <class T>
void transform_panel(const conv_product<T>& p, index_t panel, index_t first, index_t lines, T* u,
                     index_t u_plane) noexcept {
  constexpr index_t nr = kernels::panel_width<T>, taps = kernels::winograd::taps, at_once = 16;
  const index_t j = panel * nr, width = std::min(nr, p.columns() - j);
  alignas(alignment_bytes) T packed[taps * taps * at_once * nr];
  for (index_t k = 0; k < lines; k += at_once) {
    const index_t some = std::min(at_once, lines - k);
    for (index_t tap = 0; tap < taps * taps; ++tap)
      kernels::pack_b_panel(p.filter_of(tap / taps, tap % taps).block(first + k, j, some, width),
                            packed + tap * some * nr);
    kernels::winograd::transform_filter(packed, some, u + k * nr, u_plane);
  }
}

/// What the tiles of a product write, and what their middles read.
template <class T>
[[nodiscard]] kernels::winograd::tiled_images<T> results_in_tiles(const conv_product<T>& p) noexcept {
  const index_t rows = p.source.rows.results, columns = p.source.columns.results;
  return {p.results, rows, columns, p.columns(), p.image_step, p.row_step, p.pixel_step};
}
template <class T>
[[nodiscard]] kernels::winograd::tiled_images<const T> sources_in_tiles(const kernels::patches<T>& p) noexcept {
  const index_t rows = p.rows.sources, columns = p.columns.sources, row = columns * p.pixel;
  return {p.image, rows, columns, p.channels, rows * row, row, p.pixel};
}

/// The part of [begin, end) that is number i of `count`.
struct share {
  index_t begin, end;
  share(index_t begin_, index_t end_, index_t i, index_t count) noexcept
      : begin(begin_ + (end_ - begin_) * i / count), end(begin_ + (end_ - begin_) * (i + 1) / count) {}
};

/// How a convolution of 4×4 tiles is cut: parts of tiles that threads compute, whose V and M fill two fifths of L2,
/// the filter in panels of columns. What a tile becomes does not depend on its part.
template <class T>
struct winograd_schedule {
  static constexpr const char* algorithm = "winograd 4x4";
  kernels::patches<T> tiles;
  index_t count = 0, part = 0;                 // tiles
  index_t channels = 0, columns = 0;           // of the source; of the results
  index_t group = 0;                           // columns computed at once
  index_t v_ld = 0, v_plane = 0, m_plane = 0;  // of V and M of a part
  index_t u_plane = 0, u_panel = 0;            // of the transformed filter
  index_t copied = 0, packed_a = 0;
  index_t packed = 0;  // elements of the filter
  std::size_t worker_bytes = 0;

  explicit winograd_schedule(const conv_product<T>& p) noexcept
      : tiles(kernels::winograd::tiles_of(p.source)),
        count(tiles.pixels()),
        channels(p.source.channels),
        columns(p.columns()) {
    namespace wg = kernels::winograd;
    constexpr index_t size = sizeof(T), nr = kernels::panel_width<T>, mr = kernels::gemm_tile_shape::rows;
    constexpr index_t panels_at_once = kernels::replicates_a<T> ? 8 : 1;  // for which A is packed
    group = std::min(round_up(columns, simd::lanes<T>), panels_at_once * nr);
    v_ld = kernels::row_distance<T>(round_up(channels, simd::lanes<T>));
    const index_t tile_bytes = wg::points * (v_ld + group) * size;
    part = std::clamp<index_t>(gemm_host_caches().l2 * 2 / 5 / tile_bytes / mr * mr, 2 * mr, 16 * mr);
    part = count <= part ? count : round_up(ceil_div(count, ceil_div(count, part)), mr);
    v_plane = wg::plane_of<T>(part * v_ld);
    m_plane = wg::plane_of<T>(part * group);
    u_plane = wg::plane_of<T>(channels * nr);
    u_panel = wg::points * u_plane;
    copied = wg::copied_elements(tiles);
    packed_a = kernels::replicates_a<T> ? part * channels * kernels::a_block<T>::copies + 2 * simd::lanes<T> : 0;
    packed = ceil_div(columns, nr) * u_panel;
    worker_bytes = piece_bytes<T>(wg::points * v_plane) + piece_bytes<T>(wg::points * m_plane) +
                   piece_bytes<T>(copied) + piece_bytes<T>(packed_a);
  }

  [[nodiscard]] index_t parts() const noexcept { return count == 0 ? 0 : ceil_div(count, part); }
  /// What it executes: whole registers of whole tiles; the filter's transform unless that is constant.
  [[nodiscard]] work executed(const conv_product<T>&, filter_is filter) const noexcept {
    const auto many = [](index_t a, index_t b) {
      return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
    };
    const index_t depth = round_up(channels, simd::lanes<T>), width = round_up(columns, simd::lanes<T>);
    const std::uint64_t products = 2 * kernels::winograd::points * many(count * channels, width);
    const std::uint64_t transforms =
        288 * many(count, depth) + 160 * many(count, width) +
        117 * (filter == filter_is::constant ? 0 : many(channels, round_up(columns, kernels::panel_width<T>)));
    return {.flop = products + transforms, .matrix_flop = products};
  }
  /// The filter of a product, transformed: its panels one after the other, in them planes of the 36 points.
  void pack(const native_cpu& on, const conv_product<T>& p, T* to) const {
    parallel_for(on.thread_count(), ceil_div(columns, kernels::panel_width<T>),
                 [&](index_t panel) { transform_panel(p, panel, 0, channels, to + panel * u_panel, u_plane); });
  }
  /// The convolution, part by part: V of its tiles, then for each group of columns M and the results.
  /// Requires: what pack() makes at `filter`; worker_bytes for every thread at `workers`.
  void run(const native_cpu& on, const conv_product<T>& p, const T* filter, std::byte* workers) const {
    namespace wg = kernels::winograd;
    const wg::tiled_images<T> results = results_in_tiles(p);
    const wg::tiled_images<const T> sources = sources_in_tiles(p.source);
    parallel_for(on.thread_count(), parts(), [&](index_t number, index_t worker) {
      T* const v = reinterpret_cast<T*>(workers + static_cast<std::size_t>(worker) * worker_bytes);
      T* const m = v + wg::points * v_plane;
      T* const copy = m + wg::points * m_plane;
      T* const a_memory = packed_a > 0 ? copy + piece_bytes<T>(copied) / sizeof(T) : nullptr;
      const index_t begin = number * part, end = std::min(count, begin + part);
      wg::transform_input(tiles, begin, end, v, v_ld, v_plane, copy);
      const index_t next_end = std::min(count, end + part), groups = ceil_div(columns, group);
      for (index_t j = 0; j < columns; j += group) {
        const index_t width = std::min(group, columns - j);
        const wg::tiled_images<T> y = results.from_channel(j, width);
        wg::point_products<T>{.a = {v, end - begin, channels, v_ld},
                              .a_plane = v_plane,
                              .b = {filter + j / kernels::panel_width<T> * u_panel, u_panel},
                              .b_plane = u_plane,
                              .c = {m, end - begin, round_up(width, simd::lanes<T>), group},
                              .c_plane = m_plane}
            .run(a_memory, [&](index_t point) {
              const share written(begin, end, point, wg::points),
                  read(end, next_end, j / group * wg::points + point, groups * wg::points);
              wg::fetch_tiles(tiles, y, written.begin, written.end);
              wg::fetch_tiles(tiles, sources, read.begin, read.end);
            });
        wg::transform_output(tiles, begin, end, m, group, m_plane,
                             p.options.bias == nullptr ? nullptr : p.options.bias + j, p.options.act, y);
        wg::finish_tiles(tiles, begin, end, p.options.act, y);
      }
    });
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

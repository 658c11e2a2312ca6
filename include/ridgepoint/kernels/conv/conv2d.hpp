// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/conv/conv2d_kernels.hpp>
#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/kernels/conv/winograd.hpp>
#include <ridgepoint/kernels/gemm/dot.hpp>
#include <ridgepoint/kernels/gemm/finish.hpp>
#include <ridgepoint/kernels/gemm/macrokernel.hpp>
#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/kernels/map/elementwise_kernels.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {

template <class T>
RIDGEPOINT_INLINE void copy_run(const T* from, T* to, index_t count) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  if (count < lanes) {
    for (index_t i = 0; i < count; ++i) to[i] = from[i];
    return;
  }
  for (index_t i = 0; i + lanes < count; i += lanes) simd::store(to + i, simd::load(from + i));
  simd::store(to + count - lanes, simd::load(from + count - lanes));
}

/// Gathers `taps` adjacent taps of one tap row, from tap `first` on, for the results [begin, end) of a row. `source` is
/// that row of the image, null outside it. Requires: dense pixels, or one tap.
template <class T>
void gather_run(const patches<T>& p, index_t first, index_t taps, const T* source, index_t begin, index_t end, T* to,
                index_t ld) noexcept {
  const tap_grid& columns = p.columns;
  const index_t step = columns.step, channels = p.channels, pixel = p.pixel, count = taps * channels;
  const auto one = [&](index_t j) {  // some of its taps are outside the image
    const index_t at = columns.source(j, first), before = std::clamp<index_t>(-at, 0, taps),
                  inside = source == nullptr ? 0 : (std::min)(taps, columns.sources - at) - before;
    T* const row = to + (j - begin) * ld;
    std::fill_n(row, count, T(0));
    if (inside > 0) copy_run(source + (at + before) * pixel, row + before * channels, inside * channels);
  };
  // Results whose taps are all inside the image: at ≥ 0 and at + taps ≤ sources.
  const index_t origin = columns.source(0, first), room = columns.sources - taps - origin;
  const index_t low = source == nullptr ? end : std::clamp(ceil_div(std::max<index_t>(-origin, 0), step), begin, end),
                high = room < 0 ? low : std::clamp(room / step + 1, low, end);
  for (index_t j = begin; j < low; ++j) one(j);
  if (low < high) {
    const T* from = source + columns.source(low, first) * pixel;
    T* row = to + (low - begin) * ld;
    for (index_t j = low; j < high; ++j, from += step * pixel, row += ld) copy_run(from, row, count);
  }
  for (index_t j = high; j < end; ++j) one(j);
}

/// Gathers the taps of one tap row: all at once if they are adjacent.
template <class T>
void gather_row(const patches<T>& p, const T* source, index_t begin, index_t end, T* to, index_t ld) noexcept {
  const tap_run& taps = p.columns.taps;
  if (taps.source_step == 1 && p.is_dense()) return gather_run(p, 0, taps.count, source, begin, end, to, ld);
  for (index_t t = 0; t < taps.count; ++t) gather_run(p, t, 1, source, begin, end, to + t * p.channels, ld);
}

}  // namespace detail

/// Gathers rows [begin, end) of the matrix, with a stride of ld elements.
template <class T>
void gather(const patches<T>& p, index_t begin, index_t end, T* to, index_t ld) noexcept {
  const tap_grid &rows = p.rows, &columns = p.columns;
  for (index_t pixel = begin; pixel < end;) {
    const index_t row = pixel / columns.results, j = pixel % columns.results;
    const index_t count = (std::min)(columns.results - j, end - pixel);
    const index_t n = row / rows.results, i = row % rows.results;
    for (index_t t = 0; t < rows.taps.count; ++t) {
      const index_t source = rows.source(i, t);
      const bool inside = source >= 0 && source < rows.sources;
      const T* const line = inside ? p.image + (n * rows.sources + source) * columns.sources * p.pixel : nullptr;
      detail::gather_row(p, line, j, j + count, to + t * columns.taps.count * p.channels, ld);
    }
    pixel += count, to += count * ld;
  }
}

/// Copies the input of the windows of result rows [begin, end) of an image, with zeros outside the image.
template <class T>
void copy_band(const window_segments<T>& windows, index_t image, index_t begin, index_t end, T* to) noexcept {
  const patches<T>& p = windows.of();
  const index_t rows = windows.extent(p.rows, end - begin), columns = windows.extent(p.columns, p.columns.results),
                c = p.channels;
  const index_t first = p.rows.source(begin, 0), left = p.columns.source(0, 0);
  const index_t before = std::clamp<index_t>(-left, 0, columns),
                inside = std::max<index_t>(0, (std::min)(columns, p.columns.sources - left) - before);
  for (index_t i = 0; i < rows; ++i, to += windows.copied_row()) {
    const index_t row = first + i;
    const bool exists = row >= 0 && row < p.rows.sources && inside > 0;
    std::fill_n(to, exists ? before * c : columns * c, T(0));
    if (!exists) continue;
    const T* const from = windows.source(image, row, left + before);
    if (p.is_dense()) std::copy_n(from, inside * c, to + before * c);
    else
      for (index_t j = 0; j < inside; ++j) detail::copy_run(from + j * p.pixel, to + (before + j) * c, c);
    std::fill_n(to + (before + inside) * c, (columns - before - inside) * c, T(0));
  }
}

/// Returns windows of result rows as a block of A.
template <class T>
[[nodiscard]] a_block<T> block_of(const segment_rows<T>& lines, const T* a, index_t result_rows,
                                  index_t tap_rows) noexcept {
  const index_t gap = result_rows == 2 ? lines.result_row - lines.pixels * lines.pixel : 0;
  return {.data = a,
          .per_row = lines.pixel,
          .row = lines.pixel,
          .step = 1,
          .segments = {.count = lines.per_tap_row * tap_rows, .offsets = lines.offsets, .gap = gap}};
}

/// Windows of result rows [row, last_row) of images [image, last_image), copied if they reach beyond the image.
template <class T>
struct band_part {
  index_t image, last_image, row, last_row;
  segment_rows<T> lines;
  const T* data;  // the first window of the first image
  index_t step;   // elements from one image to the next

  band_part(const patches<T>& p, const image_bands& of, index_t number, const band_memory<T>& memory) noexcept
      : image(number / of.bands * of.images),
        last_image((std::min)(of.all_images, image + of.images)),
        row(number % of.bands * of.rows),
        last_row((std::min)(of.all_rows, row + of.rows)) {
    const window_segments<T> windows(p);
    lines = windows.rows(native_unit, memory.offsets);
    if (of.band == 0) {
      data = windows.band_at(image, row), step = p.rows.sources * p.columns.sources * p.pixel;
      return;
    }
    data = memory.copy, step = of.band;
    for (index_t i = image; i < last_image; ++i) copy_band(windows, i, row, last_row, memory.copy + (i - image) * step);
  }
  [[nodiscard]] const T* window(index_t i, index_t r) const noexcept {
    return data + (i - image) * step + (r - row) * lines.result_row;
  }
};

/// Applies activations that tiles do not apply, to the results of a part.
template <class T>
void finish_rows(const conv_product<T>& p, const band_part<T>& part) noexcept {
  if (p.options.act == activation::none || p.options.act == activation::relu) return;
  for (index_t i = part.image; i < part.last_image; ++i)
    for (index_t r = part.row; r < part.last_row; ++r) finish_activation(p.options.act, p.row_results(i, r));
}

template <class T>
void pack_filter_panel<T>::run(const conv_product<T>& p, index_t panel, T* to) noexcept {
  constexpr index_t nr = panel_width<T>(native_unit);
  const index_t channels = p.source.channels, j = panel * nr, width = (std::min)(nr, p.columns() - j);
  for (index_t r = 0; r < p.source.rows.taps.count; ++r)
    for (index_t c = 0; c < p.source.columns.taps.count; ++c, to += channels * nr)
      pack_b_panel(p.filter_of(r, c).block(0, j, channels, width), to);
}

template <class T>
void pack_joined_filter<T>::run(const conv_product<T>& one, const result_line& line, index_t joined, T* to) noexcept {
  constexpr index_t nr = panel_width<T>(native_unit);
  const joined_window window(line, joined);
  const tap_grid& rows = one.source.rows;
  const index_t taps = window.last - window.first, channels = one.source.channels, columns = one.columns(),
                depth = rows.taps.count * taps * channels;
  std::fill_n(to, round_up(joined * columns, nr) * depth, T(0));
  for (index_t r = 0; r < rows.taps.count; ++r)
    line.for_taps(joined, [&](index_t pixel, index_t source, index_t tap) {
      const matrix_view<const T> filter = one.filter_at(rows.tap_of(r), tap);
      const index_t from = (r * taps + source - window.first) * channels;
      for (index_t j = 0; j < columns; ++j) {
        const index_t column = pixel * columns + j;
        T* at = to + (column / nr * depth + from) * nr + column % nr;
        for (index_t i = 0; i < channels; ++i, at += nr) *at = filter(i, j);
      }
    });
}
template <class T>
void pack_filter_columns<T>::run(const conv_product<T>& p, index_t begin, index_t end, T* to) noexcept {
  const index_t k = p.source.depth(), channels = p.source.channels;
  for (index_t j = begin; j < end; ++j) {
    T* at = to + j * k;
    for (index_t r = 0; r < p.source.rows.taps.count; ++r)
      for (index_t c = 0; c < p.source.columns.taps.count; ++c) {
        const matrix_view<const T> filter = p.filter_of(r, c);
        for (index_t i = 0; i < channels; ++i) *at++ = filter(i, j);
      }
  }
}

namespace detail {
/// Part of a product in segments: some columns and taps at a time, in tiles.
template <class T>
struct segments_part {
  const conv_product<T>& p;
  const segments_cut& s;
  const T* filter;
  const band_part<T>& part;
  T* spare;

  void run() const noexcept {
    constexpr index_t nr = panel_width<T>(native_unit);
    const index_t n = p.columns(), k = p.source.depth(), tap_rows = p.source.rows.taps.count, tap_row = k / tap_rows;
    const bool is_far = s.taps < tap_rows || s.columns < n;  // the filter is larger than half of L2
    for (index_t t = 0; t < tap_rows; t += s.taps)
      for (index_t j = 0; j < n; j += s.columns)
        // Rows with all taps come first: their tiles are taller, and hide more of the time that a filter from beyond L2
        // takes.
        for (const bool with_all : {true, false})
          for (index_t r = part.row; r < part.last_row;) {
            const alike_rows rows = rows_alike(p.source.rows, r, part.last_row);
            r += rows.count;
            const index_t first = (std::max)(t, rows.first_tap), last = (std::min)(t + s.taps, rows.last_tap);
            if ((rows.last_tap - rows.first_tap == tap_rows) != with_all || first >= last) continue;
            const bool ends = last == rows.last_tap;
            const tile_epilogue<T> epilogue{.beta = T(first == rows.first_tap ? 0 : 1),
                                            .bias = ends && p.options.bias != nullptr ? p.options.bias + j : nullptr,
                                            .relu = ends && p.options.act == activation::relu,
                                            .streams = s.how == stores::streaming};
            b_panels<T> b{filter + j * k + first * tap_row * nr, nr * k, nr,
                          with_all && is_far ? fetched_rows * nr : 0};
            for (index_t i = part.image; i < part.last_image; ++i, b.fetched = 0)
              run_rows(rows, i, {first, last}, b, j, (std::min)(s.columns, n - j), epilogue);
          }
  }

 private:
  struct range {
    index_t first, last;
  };
  /// Computes columns [j, j + columns) of rows with the same taps: all rows at once if L1 holds a panel of the filter,
  /// else row by row, or two rows if they fill a tile better. Cut rows pass through spare memory in whole vectors; the
  /// next pixel overwrites the surplus of the previous one.
  void run_rows(const alike_rows& rows, index_t i, range tap, b_panels<T> b, index_t j, index_t columns,
                const tile_epilogue<T>& epilogue) const noexcept {
    constexpr index_t nr = panel_width<T>(native_unit);
    const segment_rows<T>& lines = part.lines;
    const bool cut = s.spare_rows > 0;
    const index_t count = tap.last - tap.first, two = lines.pairs && p.is_flat() ? 2 : 1,
                  depth = count * lines.per_tap_row * lines.length,
                  panel_bytes = depth * nr * static_cast<index_t>(sizeof(T)),
                  result_row = cut ? p.spare_row(simd::lanes<T>) : p.row_step;
    const bool panel_by_panel = panel_bytes * 2 <= s.l1 && (columns <= nr || depth >= 64);
    const index_t at_most = cut ? s.spare_rows : panel_by_panel ? rows.count : index_t{1};
    for (index_t r = rows.row, end = rows.row + rows.count; r < end;) {
      const index_t height = (std::min)(two, end - r), blocks = (std::min)((end - r) / height, at_most);
      block_times_panels(block_of(lines, part.window(i, r) + tap.first * lines.tap_row, height, count),
                         lines.split(native_unit, height), b,
                         cut && columns < nr ? round_up(columns, simd::lanes<T>) : columns, lines.length,
                         cut ? spare : p.row(i, r) + j, p.pixel_step, epilogue,
                         {blocks, height * lines.result_row, height * result_row});
      for (index_t done = 0; cut && done < blocks; ++done)
        std::copy_n(spare + done * result_row, p.row_elements, p.row(i, r + done));
      r += blocks * height;
      b.fetched = 0;
    }
  }
};
}  // namespace detail

template <class T>
void conv2d_segments<T>::run(const conv_product<T>& p, const segments_cut& s, const T* filter, index_t part,
                             const band_memory<T>& memory) noexcept {
  const band_part<T> rows(p.source, s.bands, part, memory);
  detail::segments_part<T>{p, s, filter, rows, memory.spare}.run();
  if (s.how == stores::streaming) simd::end_stream();
  finish_rows(p, rows);
}

template <class T>
void conv2d_dots<T>::run(const conv_product<T>& p, const segments_cut& s, const T* filter, index_t part,
                         const band_memory<T>& memory) noexcept {
  const band_part<T> band(p.source, s.bands, part, memory);
  const segment_rows<T>& lines = band.lines;
  const index_t n = p.columns(), k = p.source.depth(), tap_rows = p.source.rows.taps.count, tap_row = k / tap_rows;
  for (index_t t = 0; t < tap_rows; t += s.taps)
    for (index_t row = band.row; row < band.last_row;) {
      const alike_rows rows = rows_alike(p.source.rows, row, band.last_row);
      row += rows.count;
      const index_t first = (std::max)(t, rows.first_tap), last = (std::min)(t + s.taps, rows.last_tap);
      if (first >= last) continue;
      gemm_options<T> options = last == rows.last_tap ? p.options : gemm_options<T>{};
      options.beta = T(first == rows.first_tap ? 0 : 1);
      for (index_t i = band.image; i < band.last_image; ++i)
        for (index_t r = rows.row; r < rows.row + rows.count; ++r)
          gemm_dot(lines.pixels, n, 0,
                   {.k = lines.length,
                    .a = band.window(i, r) + first * lines.tap_row,
                    .a_ld = lines.pixel,
                    .b = filter + first * tap_row,
                    .b_ld = k,
                    .c = p.row(i, r),
                    .ldc = p.pixel_step,
                    .segments = (last - first) * lines.per_tap_row,
                    .a_offsets = lines.offsets},
                   options);
    }
  finish_rows(p, band);
}

template <class T>
void conv2d_patches<T>::run(const conv_product<T>& p, const patches_cut& s, const T* filter, index_t part, T* patches,
                            T* packed_a) noexcept {
  const index_t k = p.source.depth(), n = p.columns(), row = p.is_flat() ? s.pixels : p.source.columns.results;
  const index_t begin = part * s.pixels, end = (std::min)(s.all, begin + s.pixels);
  gather(p.source, begin, end, patches, s.ld);
  for (index_t i = begin; i < end; i += row) {
    const index_t count = (std::min)(row, end - i);
    const gemm_args<T> g{.a = {patches + (i - begin) * s.ld, count, k, s.ld},
                         .b = {filter, k, n},  // extents only
                         .c = p.results_of(i, count),
                         .options = p.options};
    gemm_on_panels(s.plan, g, filter, packed_a);
    finish_activation(g.options.act, g.c);
  }
}

namespace detail {
/// y ← f(y + residual) on a register.
template <class Activation>
struct after_sum {
  Activation f;
  RIDGEPOINT_INLINE auto operator()(auto y, auto residual) const noexcept { return f(y + residual); }
};
}  // namespace detail

/// Relu is applied with the addition, other activations after it: they are rare, and long to compile for each use.
template <class T>
void conv2d_finish<T>::run(T* y, const T* residual, activation f, T slope, index_t begin, index_t end) noexcept {
  if (residual != nullptr) {
    T* const to = y + begin;
    const std::array<const T*, 2> in{to, residual + begin};
    if (f == activation::relu) return map_to(in, to, end - begin, stores::cached, detail::after_sum<relu<T>>{});
    map_to(in, to, end - begin, stores::cached, detail::after_sum<identity<T>>{});
  }
  if (f != activation::none)
    activate_chunk<T>::run({.f = f, .slope = static_cast<double>(slope), .x = y, .y = y}, stores::cached, begin, end);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

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
  const auto run_part =
      winograd::with_tile(s.results, s.taps, []<class Tile>(Tile) { return detail::winograd_part<Tile, T>; });
  run_part(p, s, filter, part, memory);
}

#pragma GCC diagnostic pop

/// Some adjacent elements of every window, packed as gemm_tile() reads a tile of A: rows are elements, depth is pixels.
template <class T>
class window_tile {
 public:
  /// Elements [first, first + rows) of windows with the strides of `lines`, tap row by tap row.
  window_tile(const segment_rows<T>& lines, index_t first, index_t rows) noexcept
      : pixels_(lines.pixels), pixel_(lines.pixel), rows_(rows) {
    for (index_t at = 0; at < rows; ++pieces_) {
      const index_t segment = (first + at) / lines.length, begin = (first + at) % lines.length;
      const index_t count = (std::min)((std::min)(lines.length - begin, rows - at), index_t{simd::lanes<T>});
      piece_[static_cast<std::size_t>(pieces_)] = {
          segment / lines.per_tap_row * lines.tap_row + segment % lines.per_tap_row * lines.tap + begin, at, count};
      at += count;
    }
  }

  /// Packs a row of windows, the first at `from`; returns the address of the next packed row.
  /// Requires: `to` writable for one register beyond a_block<T>::copies·rows·pixels values.
  T* pack(const T* from, T* to) const noexcept {
    if (stores_parts(native_unit) || pieces_ == 1) {
      for (index_t i = 0; i < pieces_; ++i) copy(piece_[static_cast<std::size_t>(i)], from, to);
    } else {  // full registers overlap the elements packed next
      for (index_t j = 0; j < pixels_; ++j)
        for (index_t i = 0; i < pieces_; ++i) {
          const piece& p = piece_[static_cast<std::size_t>(i)];
          copy_one(p, from + j * pixel_, to + j * rows_ * copies);
        }
    }
    return to + pixels_ * rows_ * copies;
  }

 private:
  struct piece {
    index_t from, at, count;  // elements: in the window, in the tile, up to a register
  };
  static constexpr index_t copies = a_block<T>::copies;

  void copy(piece p, const T* from, T* to) const noexcept {
    const index_t pixels = pixels_, pixel = pixel_, rows = rows_ * copies;
    for (index_t j = 0; j < pixels; ++j, from += pixel, to += rows) copy_one(p, from, to);
  }
  static void copy_one(const piece& p, const T* window, T* row) noexcept {
    if constexpr (copies > 1) {
      for (index_t i = 0; i < p.count; ++i) simd::store(row + (p.at + i) * copies, simd::batch<T>(window[p.from + i]));
    } else if constexpr (stores_parts(native_unit)) {
      simd::store_partial(row + p.at, simd::load_partial(window + p.from, p.count), p.count);
    } else {
      simd::store(row + p.at, simd::load_partial(window + p.from, p.count));
    }
  }

  index_t pixels_, pixel_, rows_, pieces_ = 0;
  std::array<piece, most_rows(native_unit)> piece_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/conv/conv2d_kernels.hpp>
#include <ridgepoint/kernels/conv/copy_band.hpp>
#include <ridgepoint/kernels/conv/gather.hpp>
#include <ridgepoint/kernels/gemm/dot.hpp>
#include <ridgepoint/kernels/gemm/finish.hpp>
#include <ridgepoint/kernels/gemm/macrokernel.hpp>
#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/kernels/map/map.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

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
  /// Calls use(rows) for each group of rows with the same taps, in any image.
  template <class Use>
  void for_alike(const tap_grid& of, const Use& use) const {
    for (index_t r = row; r < last_row;) {
      const alike_rows rows = rows_alike(of, r, last_row);
      use(rows);
      r += rows.count;
    }
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
    for (index_t t = 0; t < tap_rows; t += s.taps)
      for (index_t j = 0; j < n; j += s.columns)
        part.for_alike(p.source.rows, [&](const alike_rows& rows) {
          const index_t first = (std::max)(t, rows.first_tap), last = (std::min)(t + s.taps, rows.last_tap);
          if (first >= last) return;
          const bool ends = last == rows.last_tap;
          const tile_epilogue<T> epilogue{.beta = T(first == rows.first_tap ? 0 : 1),
                                          .bias = ends && p.options.bias != nullptr ? p.options.bias + j : nullptr,
                                          .relu = ends && p.options.act == activation::relu,
                                          .streams = s.how == stores::streaming};
          const b_panels<T> b{filter + j * k + first * tap_row * nr, nr * k};
          for (index_t i = part.image; i < part.last_image; ++i)
            run_rows(rows, i, {first, last}, b, j, (std::min)(s.columns, n - j), epilogue);
        });
  }

 private:
  struct range {
    index_t first, last;
  };
  /// Computes columns [j, j + columns) of rows with the same taps: all rows at once if L1 holds a panel of the filter,
  /// else row by row, or two rows if they fill a tile better. Cut rows pass through spare memory in whole vectors; the
  /// next pixel overwrites the surplus of the previous one.
  void run_rows(const alike_rows& rows, index_t i, range tap, const b_panels<T>& b, index_t j, index_t columns,
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
    band.for_alike(p.source.rows, [&](const alike_rows& rows) {
      const index_t first = (std::max)(t, rows.first_tap), last = (std::min)(t + s.taps, rows.last_tap);
      if (first >= last) return;
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
    });
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

template <class T>
void conv2d_finish<T>::run(T* y, const T* residual, activation f, T slope, index_t begin, index_t end) noexcept {
  with_activation(f, slope, [&]<class F>(const F& formula) {
    T* const to = y + begin;
    if (residual == nullptr) map_to(std::array<const T*, 1>{to}, to, end - begin, stores::cached, formula);
    else
      map_to(std::array<const T*, 2>{to, residual + begin}, to, end - begin, stores::cached,
             detail::after_sum<F>{formula});
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/conv2d_product.hpp>
#include <ridgepoint/kernels/conv/segments.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// How a product is cut whose windows are read where they lie, row of taps by row of taps: parts of result rows, either
/// some of one image or all of several, whose source rows, copied where windows reach beyond the image, fill a quarter
/// of L2; columns and taps at once whose filter fills half of it. What a result becomes does not depend on its part.
template <class T>
struct segment_schedule {
  static constexpr const char* algorithm = "segments";
  kernels::window_segments<T> windows;
  index_t images = 0, rows = 0, bands = 0;  // of a part: its images, result rows of each; parts of an image
  index_t split = 0, at_once = 0;           // parts of all images; columns
  index_t taps = 0;                         // rows of taps summed at once
  index_t packed = 0;                       // elements of the filter in panels
  index_t band = 0;                         // elements of a copied image's rows
  std::size_t worker_bytes = 0;

  segment_schedule(const native_cpu& on, const conv_product<T>& p) noexcept : windows(p.source) {
    constexpr index_t size = sizeof(T), nr = kernels::panel_width<T>;
    const kernels::patches<T>& from = p.source;
    const index_t k = from.depth(), n = p.columns(), l2 = gemm_host_caches().l2, threads = on.thread_count();
    if (k == 0 || from.pixels() == 0) return;
    const auto fits = [&](index_t count) { return windows.band_elements(count) * size <= l2 / 4; };
    rows = from.rows.results;
    while (rows > 1 && !fits(rows)) rows = ceil_div(rows, 2);
    if (threads > 1)
      while (rows > 1 && from.images * ceil_div(from.rows.results, rows) < 4 * threads) rows = ceil_div(rows, 2);
    bands = ceil_div(from.rows.results, rows);
    images = 1;
    if (bands == 1) {
      const index_t most = std::max<index_t>(1, l2 / 4 / size / std::max<index_t>(1, windows.band_elements(rows)));
      images = std::min(most, ceil_div(from.images, threads == 1 ? 1 : 4 * threads));
    }
    split = ceil_div(from.images, images);
    const index_t tap_row = k / from.rows.taps.count;
    taps = std::clamp<index_t>(l2 / 2 / size / (tap_row * nr), 1, from.rows.taps.count);
    at_once = std::max(nr, l2 / 2 / size / (taps * tap_row) / nr * nr);
    packed = packed_elements<T>(k, n);
    band = windows.copies() ? windows.band_elements(rows) : 0;
    worker_bytes = piece_bytes<T>(images * band) + piece_bytes<index_t>(windows.count());
  }
  [[nodiscard]] index_t parts() const noexcept { return split * bands; }
  [[nodiscard]] work executed(const conv_product<T>& p, filter_is) const noexcept { return executed_as_product(p); }
  void pack(const native_cpu& on, const conv_product<T>& p, T* to) const {
    if (packed > 0) pack_filter(on, p, to);
  }
  /// Requires: the filter in panels at `filter`; worker_bytes for every thread at `workers`.
  void run(const native_cpu& on, const conv_product<T>& p, const T* filter, std::byte* workers) const {
    if (p.source.depth() == 0) return clear_results(p);
    parallel_for(on.thread_count(), parts(), [&](index_t part, index_t worker) {
      std::byte* const memory = workers + static_cast<std::size_t>(worker) * worker_bytes;
      const index_t first = part / bands * images, begin = part % bands * rows;
      run_part(p, filter, {first, std::min(p.source.images, first + images)},
               {begin, std::min(p.source.rows.results, begin + rows)}, reinterpret_cast<T*>(memory),
               reinterpret_cast<index_t*>(memory + piece_bytes<T>(images * band)));
    });
  }

 private:
  struct range {
    index_t begin, end;
  };
  void run_part(const conv_product<T>& p, const T* filter, range image, range row, T* copy, index_t* offsets) const {
    constexpr index_t nr = kernels::panel_width<T>;
    const index_t n = p.columns(), k = p.source.depth(), tap_rows = p.source.rows.taps.count, tap_row = k / tap_rows;
    if (band > 0)
      for (index_t i = image.begin; i < image.end; ++i)
        windows.copy_band(i, row.begin, row.end, copy + (i - image.begin) * band);
    const kernels::segment_rows<T> lines = windows.rows(offsets);
    for (index_t t = 0; t < tap_rows; t += taps) {
      const index_t count = std::min(taps, tap_rows - t);
      const bool last = t + count == tap_rows;
      for (index_t j = 0; j < n; j += at_once) {
        const index_t columns = std::min(at_once, n - j);
        const kernels::tile_epilogue<T> epilogue{
            .beta = T(t == 0 ? 0 : 1),
            .bias = last && p.options.bias != nullptr ? p.options.bias + j : nullptr,
            .relu = last && p.options.act == activation::relu};
        const kernels::b_panels<T> b{filter + j * k + t * tap_row * nr, nr * k};
        for (index_t i = image.begin; i < image.end; ++i) {
          const T* const from = band > 0 ? copy + (i - image.begin) * band : windows.band_at(i, row.begin);
          T* const to = p.results + i * p.image_step + j;
          for (index_t r = row.begin; r < row.end;) {
            const index_t two = lines.pairs && p.is_flat() && r + 1 < row.end ? 2 : 1;
            const T* const a = from + (r - row.begin) * lines.result_row + t * lines.tap_row;
            kernels::block_times_panels(lines.block(a, two, count), lines.split(two), b, columns, lines.length,
                                        to + r * p.row_step, p.pixel_step, epilogue);
            r += two;
          }
        }
      }
    }
    for (index_t i = image.begin; i < image.end; ++i)
      for (index_t r = row.begin; r < row.end; ++r)
        kernels::finish_activation(p.options.act, matrix_view<T>(p.results + i * p.image_step + r * p.row_step,
                                                                 p.source.columns.results, n, p.pixel_step));
  }
};

/// Whether a product is computed in segments: told to, or where registers broadcast a value of A from memory, and rows
/// of results fill the tiles.
template <class T>
[[nodiscard]] bool takes_segments(const conv_product<T>& p, conv_algorithm told) noexcept {
  if (told == conv_algorithm::segments || told == conv_algorithm::patches) return told == conv_algorithm::segments;
  return !kernels::replicates_a<T> && kernels::window_segments<T>(p.source).suit();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

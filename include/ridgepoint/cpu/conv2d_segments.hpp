// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/conv2d_product.hpp>
#include <ridgepoint/cpu/past_caches.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// How a product is cut whose windows are read where they lie, row of taps by row of taps: columns and taps at once
/// whose filter fills half of L2. What a result becomes does not depend on its part. Where rows are cut, the filter is
/// small, and all columns and taps are taken at once.
template <class T>
struct segment_schedule {
  static constexpr const char* algorithm = "segments";
  image_bands<T> bands;
  index_t at_once = 0, taps = 0;  // columns; rows of taps
  index_t spare_rows = 0;         // of results, in memory of a worker, where pixels are cut
  index_t packed = 0;             // elements of the filter in panels
  std::size_t worker_bytes = 0;

  segment_schedule(const native_cpu& on, const conv_product<T>& p) noexcept : bands(on, p.source) {
    constexpr index_t size = sizeof(T), nr = kernels::panel_width<T>(kernels::native_unit);
    const index_t k = p.source.depth(), l2 = gemm_host_caches().l2, tap_rows = p.source.rows.taps.count;
    if (bands.parts() == 0) return;
    if (p.is_cut()) {
      const index_t row = spare_row(p);
      spare_rows = std::clamp<index_t>(gemm_host_caches().l1 / 4 / size / row, 1, p.source.rows.results);
      bands.keep_spare(piece_bytes<T>(spare_rows * row));
    }
    worker_bytes = bands.worker_bytes;
    const index_t tap_row = k / tap_rows;
    taps = std::clamp<index_t>(l2 / 2 / size / (tap_row * nr), 1, tap_rows);
    at_once = std::max(nr, l2 / 2 / size / (taps * tap_row) / nr * nr);
    packed = packed_elements<T>(kernels::native_unit, k, p.columns());
  }
  [[nodiscard]] index_t parts() const noexcept { return bands.parts(); }
  [[nodiscard]] work executed(const conv_product<T>& p, filter_is) const noexcept {
    return executed_in_rows(p, p.source.columns.taps.count * p.source.channels, round_up(p.columns(), simd::lanes<T>));
  }
  void pack(const native_cpu& on, const conv_product<T>& p, T* to) const {
    if (packed > 0) pack_filter(on, p, to);
  }
  /// Requires: the filter in panels at `filter`; worker_bytes for every thread at `workers`.
  void run(const native_cpu& on, const conv_product<T>& p, const T* filter, std::byte* workers) const {
    if (p.source.depth() == 0) return clear_results(p);
    const kernels::stores how = stores_of(p);
    bands.for_parts(on, workers, [&](const band_part<T>& part) {
      run_part(p, filter, part, how);
      if (how == kernels::stores::streaming) simd::end_stream();
      finish_rows(p, part);
    });
  }

 private:
  [[nodiscard]] kernels::stores stores_of(const conv_product<T>& p) const noexcept {
    const bool once = taps >= p.source.rows.taps.count && spare_rows == 0 &&
                      (p.options.act == activation::none || p.options.act == activation::relu);
    const kernels::patches<T>& from = p.source;
    const index_t read = from.images * from.rows.sources * from.columns.sources * from.channels;
    return once ? stores_of_tiles(kernels::native_unit, read + from.pixels() * p.columns(), p.results, p.columns(),
                                  p.pixel_step)
                : kernels::stores::cached;
  }
  void run_part(const conv_product<T>& p, const T* filter, const band_part<T>& part, kernels::stores how) const {
    constexpr index_t nr = kernels::panel_width<T>(kernels::native_unit);
    const index_t n = p.columns(), k = p.source.depth(), tap_rows = p.source.rows.taps.count, tap_row = k / tap_rows;
    for (index_t t = 0; t < tap_rows; t += taps)
      for (index_t j = 0; j < n; j += at_once)
        part.for_alike(p.source.rows, [&](const alike_rows& rows) {
          const index_t first = std::max(t, rows.first_tap), last = std::min(t + taps, rows.last_tap);
          if (first >= last) return;
          const bool ends = last == rows.last_tap;
          const kernels::tile_epilogue<T> epilogue{
              .beta = T(first == rows.first_tap ? 0 : 1),
              .bias = ends && p.options.bias != nullptr ? p.options.bias + j : nullptr,
              .relu = ends && p.options.act == activation::relu,
              .streams = how == kernels::stores::streaming};
          const kernels::b_panels<T> b{filter + j * k + first * tap_row * nr, nr * k};
          for (index_t i = part.image; i < part.last_image; ++i)
            run_rows(p, part, rows, i, {first, last}, b, j, std::min(at_once, n - j), epilogue);
        });
  }
  struct range {
    index_t first, last;
  };
  /// Elements from one spare row to the next: of all pixels in whole vectors.
  [[nodiscard]] static index_t spare_row(const conv_product<T>& p) noexcept {
    return p.source.columns.results * p.pixel_step + simd::lanes<T>;
  }
  /// Columns [j, j + columns) of rows that are alike: all at once where L1 holds a panel of the filter, else one by
  /// one, or two where these fill a tile better. Rows that are cut pass through spare memory, in whole vectors, of
  /// which the next pixel overwrites what is too much.
  void run_rows(const conv_product<T>& p, const band_part<T>& part, const alike_rows& rows, index_t i, range tap,
                const kernels::b_panels<T>& b, index_t j, index_t columns,
                const kernels::tile_epilogue<T>& epilogue) const {
    const kernels::segment_rows<T>& lines = part.lines;
    const bool cut = spare_rows > 0;
    const index_t count = tap.last - tap.first, two = lines.pairs && p.is_flat() ? 2 : 1,
                  depth = count * lines.per_tap_row * lines.length, nr = kernels::panel_width<T>(kernels::native_unit),
                  panel_bytes = depth * nr * static_cast<index_t>(sizeof(T)),
                  result_row = cut ? spare_row(p) : p.row_step;
    const bool panel_by_panel = panel_bytes * 2 <= gemm_host_caches().l1 && (columns <= nr || depth >= 64);
    const index_t at_most = cut ? spare_rows : panel_by_panel ? rows.count : index_t{1};
    for (index_t r = rows.row, end = rows.row + rows.count; r < end;) {
      const index_t height = std::min(two, end - r), blocks = std::min((end - r) / height, at_most);
      kernels::block_times_panels(lines.block(part.window(i, r) + tap.first * lines.tap_row, height, count),
                                  lines.split(height), b,
                                  cut && columns < nr ? round_up(columns, simd::lanes<T>) : columns, lines.length,
                                  cut ? part.spare : p.row(i, r) + j, p.pixel_step, epilogue,
                                  {blocks, height * lines.result_row, height * result_row});
      for (index_t done = 0; cut && done < blocks; ++done)
        std::copy_n(part.spare + done * result_row, p.row_elements, p.row(i, r + done));
      r += blocks * height;
    }
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

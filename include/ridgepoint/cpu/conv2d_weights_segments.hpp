// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/conv2d_chunks.hpp>
#include <ridgepoint/kernels/conv/segments.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// How dw ← windowsᵀ · dy is cut whose windows are read where they lie: row i of a product is an element of a row of
/// taps, its depth all pixels. Rows of results are taken in chunks, each with a sum of its own; of a chunk some rows at
/// once, whose sources, copied where windows reach beyond the image, and whose dy in panels L2 holds. Where there are
/// few chunks, rows of taps and groups of columns are parts, too. The cut depends on the shape alone, and so do the
/// bits.
template <class T>
struct weights_segments {
  static constexpr const char* algorithm = "segments";
  kernels::window_segments<T> windows;
  index_t images = 0, image_rows = 0, f = 0;
  index_t chunks = 1, chunk = 0;             // rows of results over all images
  index_t tap_rows = 1, groups = 1;          // parts of a chunk
  index_t columns = 0, rows = 0;             // of a group; at once
  index_t filter = 0, band = 0, panels = 0;  // elements: of dw, of copied rows, of dy
  std::size_t sums_bytes = 0, worker_bytes = 0;

  weights_segments(const kernels::patches<T>& p, index_t f_) noexcept
      : windows(p), images(p.images), image_rows(p.rows.results), f(f_), filter(p.depth() * f_) {
    constexpr index_t size = sizeof(T), nr = kernels::panel_width<T>, most_sums_bytes = 8 << 20,
                      worth_a_chunk = 1 << 22;
    const index_t all = images * image_rows, pixels = p.columns.results, l2 = gemm_host_caches().l2;
    if (all == 0 || pixels == 0) return;
    const index_t room = std::clamp<index_t>(most_sums_bytes / (filter * size), 1, 16);
    chunk = ceil_div(
        all, std::clamp<index_t>(all * pixels / std::max<index_t>(1, worth_a_chunk / filter), 1, std::min(room, all)));
    chunks = ceil_div(all, chunk);
    if (chunks < 4) tap_rows = p.rows.taps.count;
    groups = std::clamp<index_t>(8 / (chunks * tap_rows), 1, ceil_div(f, 2 * nr));
    columns = round_up(ceil_div(f, groups), nr);
    groups = ceil_div(f, columns);
    const auto copied = [&](index_t count) {
      return windows.band_elements(count, (count + image_rows - 2) / image_rows + 1);
    };
    rows = std::min(chunk, ceil_div(index_t{512}, pixels));
    while (rows > 1 && (copied(rows) + rows * pixels * columns) * size > l2 / 2) rows = ceil_div(rows, 2);
    band = windows.copies() ? copied(rows) : 0;
    panels = f == nr ? 0 : rows * pixels * columns;  // dy itself is the panel
    if (chunks > 1) sums_bytes = static_cast<std::size_t>(chunks) * piece_bytes<T>(filter);
    worker_bytes = piece_bytes<T>(band) + piece_bytes<T>(panels) + piece_bytes<index_t>(rows);
  }
  [[nodiscard]] index_t parts() const noexcept { return chunks * tap_rows * groups; }

  /// Requires: sums_bytes at `sums`, worker_bytes for every thread at `workers`.
  void run(const native_cpu& on, const kernels::patches<T>& p, const T* dy, T* dw, std::byte* sums,
           std::byte* workers) const {
    if (chunk == 0) return std::fill_n(dw, filter, T(0)), void();
    parallel_for(on.thread_count(), parts(), [&](index_t part, index_t worker) {
      std::byte* const memory = workers + static_cast<std::size_t>(worker) * worker_bytes;
      const index_t number = part / (tap_rows * groups), taps = p.rows.taps.count, j = part % groups * columns;
      const index_t tap = part / groups % tap_rows, end = std::min(images * image_rows, (number + 1) * chunk);
      T* const sum =
          chunks == 1 ? dw : reinterpret_cast<T*>(sums + static_cast<std::size_t>(number) * piece_bytes<T>(filter));
      for (index_t row = number * chunk; row < end; row += rows)
        run_block(row, std::min(end, row + rows), {tap * taps / tap_rows, (tap + 1) * taps / tap_rows}, j,
                  std::min(columns, f - j), dy, sum, T(row == number * chunk ? 0 : 1), memory);
    });
    if (chunks > 1) add_chunks(on, reinterpret_cast<const T*>(sums), chunks, filter, dw);
  }

 private:
  struct range {
    index_t begin, end;
  };
  void run_block(index_t begin, index_t end, range taps, index_t j, index_t width, const T* dy, T* sum, T beta,
                 std::byte* memory) const {
    constexpr index_t nr = kernels::panel_width<T>;
    T* const copy = reinterpret_cast<T*>(memory);
    T* const packed = reinterpret_cast<T*>(memory + piece_bytes<T>(band));
    index_t* const offsets = reinterpret_cast<index_t*>(memory + piece_bytes<T>(band) + piece_bytes<T>(panels));
    const kernels::segment_rows<T> lines = windows.rows();
    const index_t pixels = lines.pixels, depth = (end - begin) * pixels;
    const T* const gradient = dy + begin * pixels * f + j;
    const T* first = copy;
    T* to = copy;
    for (index_t row = begin; row < end;) {
      const index_t image = row / image_rows, r = row % image_rows, count = std::min(end - row, image_rows - r);
      const T* const from = band > 0 ? to : windows.band_at(image, r);
      if (band > 0) windows.copy_band(image, r, r + count, to), to += windows.band_elements(count);
      if (row == begin) first = from;
      for (index_t i = 0; i < count; ++i)
        if (row + i > begin) offsets[row + i - begin - 1] = from + i * lines.result_row - first;
      row += count;
    }
    if (panels > 0) kernels::pack_b_panels(matrix_view<const T>(gradient, depth, width, f), packed);
    const kernels::b_panels<T> b =
        panels > 0 ? kernels::b_panels<T>{packed, depth * nr} : kernels::b_panels<T>{gradient, 0};
    for (index_t t = taps.begin; t < taps.end; ++t)
      for (index_t c = 0; c < lines.per_tap_row; ++c) {
        const kernels::a_block<T> a{.data = first + t * lines.tap_row + c * lines.tap,
                                    .per_row = 1,
                                    .row = 1,
                                    .step = lines.pixel,
                                    .segments = {.count = end - begin, .offsets = offsets}};
        kernels::block_times_panels(a, kernels::tile_split::of(lines.length), b, width, pixels,
                                    sum + (t * lines.per_tap_row + c) * lines.length * f + j, f, {.beta = beta});
      }
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/conv2d_product.hpp>
#include <ridgepoint/kernels/gemm/dot.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// How a product of few columns is cut whose results are dot products of windows, read where they lie, and columns of
/// the filter: vectors run along the depth, so that nothing is wasted on the columns. The filter is turned, so that a
/// column lies side by side; rows of taps at once fill half of L1 with it.
template <class T>
struct dot_schedule {
  static constexpr const char* algorithm = "dots";
  image_bands<T> bands;
  index_t taps = 0;    // rows of taps at once
  index_t packed = 0;  // elements of the filter, turned
  std::size_t worker_bytes = 0;

  dot_schedule(const native_cpu& on, const conv_product<T>& p) noexcept
      : bands(on, p.source), worker_bytes(bands.worker_bytes) {
    if (bands.parts() == 0) return;
    const index_t k = p.source.depth(), n = p.columns(), tap_rows = p.source.rows.taps.count;
    taps = std::clamp<index_t>(gemm_host_caches().l1 / 2 / static_cast<index_t>(sizeof(T)) / (k / tap_rows * n), 1,
                               tap_rows);
    packed = k * n;
  }
  [[nodiscard]] index_t parts() const noexcept { return bands.parts(); }
  [[nodiscard]] work executed(const conv_product<T>& p, filter_is) const noexcept {
    const kernels::segment_rows<T> lines = bands.windows.rows();
    return executed_in_rows(p, lines.per_tap_row * round_up(lines.length, simd::lanes<T>), p.columns());
  }
  void pack(const native_cpu& on, const conv_product<T>& p, T* to) const {
    if (packed == 0) return;
    const index_t k = p.source.depth(), channels = p.source.channels;
    ridgepoint::for_parts(on, p.columns(), [&](index_t begin, index_t end) {
      for (index_t j = begin; j < end; ++j) {
        T* at = to + j * k;
        for (index_t r = 0; r < p.source.rows.taps.count; ++r)
          for (index_t c = 0; c < p.source.columns.taps.count; ++c) {
            const matrix_view<const T> filter = p.filter_of(r, c);
            for (index_t i = 0; i < channels; ++i) *at++ = filter(i, j);
          }
      }
    });
  }
  /// Requires: the turned filter at `filter`; worker_bytes for every thread at `workers`.
  void run(const native_cpu& on, const conv_product<T>& p, const T* filter, std::byte* workers) const {
    if (p.source.depth() == 0) return clear_results(p);
    const index_t n = p.columns(), k = p.source.depth(), tap_rows = p.source.rows.taps.count, tap_row = k / tap_rows;
    bands.for_parts(on, workers, [&](const band_part<T>& part) {
      for (index_t t = 0; t < tap_rows; t += taps)
        part.for_alike(p.source.rows, [&](const alike_rows& rows) {
          const index_t first = std::max(t, rows.first_tap), last = std::min(t + taps, rows.last_tap);
          if (first >= last) return;
          gemm_options<T> options = last == rows.last_tap ? p.options : gemm_options<T>{};
          options.beta = T(first == rows.first_tap ? 0 : 1);
          for (index_t i = part.image; i < part.last_image; ++i)
            for (index_t r = rows.row; r < rows.row + rows.count; ++r)
              kernels::gemm_dot(part.lines.pixels, n, 0,
                                {.k = part.lines.length,
                                 .a = part.window(i, r) + first * part.lines.tap_row,
                                 .a_ld = part.lines.pixel,
                                 .b = filter + first * tap_row,
                                 .b_ld = k,
                                 .c = p.row(i, r),
                                 .ldc = p.pixel_step,
                                 .segments = (last - first) * part.lines.per_tap_row,
                                 .a_offsets = part.lines.offsets},
                                options);
        });
      finish_rows(p, part);
    });
  }
};

/// Whether dot products may be the quickest way to compute a product: with a register of one value never, else the
/// prediction tells (conv2d_cost.hpp), whose constants are of AVX2 and AVX-512. Where A is packed, with SSE4.2, only a
/// few columns, in fifths of the time that a tile takes for an element of a window:
///   registers·(6·columns + 5) + 30·columns < 5·depth
/// A register of a window is loaded, 5, and multiplied and added for each column, 6; its sum is folded at the end, 30.
template <class T>
[[nodiscard]] bool may_be_dots(const conv_product<T>& p) noexcept {
  if (!kernels::replicates_a<T>(kernels::native_unit)) return simd::lanes<T> != 1;
  const index_t n = p.columns(), registers = kernels::window_segments<T>(p.source).registers();
  return n <= kernels::dot_columns(kernels::native_unit) && registers * (6 * n + 5) + 30 * n < 5 * p.source.depth();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Convolution as one product: results(pixels × columns) ← f(patches · filter + bias). A forward pass has
/// all pixels of y as results; an image gradient has every stride-th pixel of dx in both directions.
template <class T>
struct conv_product {
  patches<T> source = {};
  matrix_view<const T> tap_filter = {};  // (channels × columns) of tap (0, 0)
  index_t tap_size = 0;                  // elements from one tap's filter to the next
  index_t taps_per_row = 1;              // of the filter
  T* results = nullptr;
  index_t pixel_step = 0, row_step = 0, image_step = 0;  // of the results
  index_t row_elements = 0;                              // of a row of results whose last pixel may be cut; 0: not cut
  gemm_options<T> options = {};

  [[nodiscard]] constexpr index_t columns() const noexcept { return tap_filter.cols; }
  /// Whether the last pixel of a row has columns that are not among its results.
  [[nodiscard]] constexpr bool is_cut() const noexcept {
    return row_elements != 0 && row_elements != source.columns.results * pixel_step;
  }
  /// Whether all result pixels have one constant stride.
  [[nodiscard]] constexpr bool is_flat() const noexcept {
    return row_step == pixel_step * source.columns.results && image_step == row_step * source.rows.results;
  }
  /// Elements between rows of results in spare memory for cut rows: all pixels in full registers.
  [[nodiscard]] constexpr index_t spare_row(index_t lanes) const noexcept {
    return source.columns.results * pixel_step + lanes;
  }
  /// Whether this is a plain product of the image in place.
  [[nodiscard]] constexpr bool is_plain() const noexcept { return source.are_in_place() && is_flat(); }

  /// The filter of tap (i, j), counted among the taps that contribute.
  [[nodiscard]] matrix_view<const T> filter_of(index_t i, index_t j) const noexcept {
    return filter_at(source.rows.tap_of(i), source.columns.tap_of(j));
  }
  /// The filter of tap (row, column), counted among all taps.
  [[nodiscard]] matrix_view<const T> filter_at(index_t row, index_t column) const noexcept {
    matrix_view<const T> filter = tap_filter;
    if (filter.data != nullptr) filter.data += (row * taps_per_row + column) * tap_size;
    return filter;
  }
  /// The address of the first result of a row.
  [[nodiscard]] T* row(index_t image, index_t r) const noexcept { return results + image * image_step + r * row_step; }
  /// All results of a row.
  [[nodiscard]] matrix_view<T> row_results(index_t image, index_t r) const noexcept {
    if (row_elements != 0) return {row(image, r), 1, row_elements, row_elements};
    return {row(image, r), source.columns.results, columns(), pixel_step};
  }
  /// The results of `count` adjacent pixels.
  [[nodiscard]] matrix_view<T> results_of(index_t pixel, index_t count) const noexcept {
    const index_t row = pixel / source.columns.results, j = pixel % source.columns.results;
    const index_t n = row / source.rows.results, i = row % source.rows.results;
    return {this->row(n, i) + j * pixel_step, count, columns(), pixel_step};
  }
  /// The GEMM of an image that is_plain().
  [[nodiscard]] gemm_args<T> plain() const noexcept {
    const index_t pixels = source.pixels();
    return {.a = {source.image, pixels, source.channels, source.pixel},
            .b = filter_of(0, 0),
            .c = results_of(0, pixels),
            .options = options};
  }
};

/// Adjacent result rows that use the same rows of taps.
struct alike_rows {
  index_t row, count, first_tap, last_tap;  // rows of taps [first_tap, last_tap); all if none is inside
};
/// Returns the rows from `row` on, before `last`, with the same rows of taps.
[[nodiscard]] inline alike_rows rows_alike(const tap_grid& rows, index_t row, index_t last) noexcept {
  const auto reach = [&](index_t r) {
    const auto inside = [&](index_t t) { return rows.source(r, t) >= 0 && rows.source(r, t) < rows.sources; };
    alike_rows one{r, 1, 0, rows.taps.count};
    while (one.first_tap < one.last_tap && !inside(one.first_tap)) ++one.first_tap;
    while (one.first_tap < one.last_tap && !inside(one.last_tap - 1)) --one.last_tap;
    if (one.first_tap == one.last_tap) one.first_tap = 0, one.last_tap = rows.taps.count;
    return one;
  };
  alike_rows all = reach(row);
  index_t r = row + 1;
  if (rows.taps.count > 0 && rows.source(row, 0) >= 0) {  // so are all up to the last row whose taps are inside
    const index_t room = rows.sources - 1 - rows.source(row, rows.taps.count - 1);
    if (room >= 0) r = (std::min)(last, row + room / rows.step + 1);
  }
  all.count = r - row;
  for (; r < last; ++r, ++all.count)
    if (const alike_rows next = reach(r); next.first_tap != all.first_tap || next.last_tap != all.last_tap) break;
  return all;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

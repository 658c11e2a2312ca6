// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/cpu/dense.hpp>
#include <ridgepoint/kernels/conv/segments.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The gradient for a filter as a product: dw(elements of a window × columns) ← windowsᵀ · dy, whose rows are `dy_ld`
/// elements apart; and db, if given, their sum.
template <class T>
struct weights_product {
  kernels::patches<T> source;
  const T* dy = nullptr;
  index_t columns = 0, dy_ld = 0;
  T* db = nullptr;

  /// Whether windows are rows of the image as it lies.
  [[nodiscard]] constexpr bool is_plain() const noexcept { return source.are_in_place(); }
  [[nodiscard]] matrix_view<const T> gradients(index_t pixel, index_t pixels, index_t column,
                                               index_t count) const noexcept {
    return {dy + pixel * dy_ld + column, pixels, count, dy_ld};
  }
};

/// db, if given, ← Σ dy.
template <class T>
void sum_bias(const native_cpu& on, const weights_product<T>& p) noexcept {
  if (p.db != nullptr) sum_columns(on, p.gradients(0, p.source.pixels(), 0, p.columns), p.db);
}

/// The rows of results of all images, one after the other, whose windows are read where they lie, or in copies where
/// they reach beyond the image.
template <class T>
struct window_rows {
  kernels::window_segments<T> windows;
  index_t image_rows = 0, all = 0, pixels = 0;  // rows of an image and of all; results of a row

  explicit window_rows(const kernels::patches<T>& p) noexcept
      : windows(p),
        image_rows(p.rows.results),
        all(p.columns.results == 0 ? 0 : p.images * p.rows.results),
        pixels(p.columns.results) {}

  /// Elements of the copy for `count` adjacent rows.
  [[nodiscard]] index_t copied(index_t count) const noexcept {
    return windows.copies() ? windows.band_elements(count, (count + image_rows - 2) / image_rows + 1) : 0;
  }
  /// As many rows at once as make 256 results, and fit half of L2 with so many elements more for each.
  [[nodiscard]] index_t at_once(index_t most, index_t more, index_t l2) const noexcept {
    index_t rows = std::min(most, ceil_div(index_t{256}, pixels));
    while (rows > 1 && (windows.band_elements(rows) + rows * more) * static_cast<index_t>(sizeof(T)) > l2 / 2)
      rows = ceil_div(rows, 2);
    return rows;
  }
  /// line[i]: where the first window of row begin + i begins. Requires: copied(end - begin) elements at `copy`.
  void find(index_t begin, index_t end, T* copy, const T** line) const noexcept {
    const index_t step = windows.rows().result_row;
    while (begin < end) {
      const index_t image = begin / image_rows, r = begin % image_rows, count = std::min(end - begin, image_rows - r);
      const T* from = windows.copies() ? copy : windows.band_at(image, r);
      if (windows.copies()) windows.copy_band(image, r, r + count, copy), copy += windows.band_elements(count);
      for (index_t i = 0; i < count; ++i, from += step) *line++ = from;
      begin += count;
    }
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

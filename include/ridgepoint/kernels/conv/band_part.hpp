// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/conv/conv2d_kernels.hpp>
#include <ridgepoint/kernels/conv/copy_band.hpp>
#include <ridgepoint/kernels/gemm/finish.hpp>
#include <ridgepoint/kernels/gemm/macrokernel.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Windows of result rows as rows of A.
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

/// Result rows [row, last_row) of images [image, last_image): their windows, copied if they reach beyond the image.
template <class T>
struct band_part {
  index_t image, last_image, row, last_row;
  segment_rows<T> lines;
  const T* data;  // the first window of the first image
  index_t step;   // elements from one image to the next

  band_part(const patches<T>& p, const image_bands& of, index_t number, const band_memory<T>& memory) noexcept
      : image(number / of.bands * of.images),
        last_image(std::min(of.all_images, image + of.images)),
        row(number % of.bands * of.rows),
        last_row(std::min(of.all_rows, row + of.rows)) {
    const window_segments<T> windows(p);
    lines = windows.rows(native_unit, memory.offsets);
    if (of.band == 0) {
      data = windows.band_at(image, row), step = p.rows.sources * p.columns.sources * p.pixel;
      return;
    }
    data = memory.copy, step = of.band;
    for (index_t i = image; i < last_image; ++i) copy_band(windows, i, row, last_row, memory.copy + (i - image) * step);
  }
  /// use(rows) for all its rows, of any image.
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

/// Activations that tiles do not apply, on the results of a part.
template <class T>
void finish_rows(const conv_product<T>& p, const band_part<T>& part) noexcept {
  if (p.options.act == activation::none || p.options.act == activation::relu) return;
  for (index_t i = part.image; i < part.last_image; ++i)
    for (index_t r = part.row; r < part.last_row; ++r) finish_activation(p.options.act, p.row_results(i, r));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

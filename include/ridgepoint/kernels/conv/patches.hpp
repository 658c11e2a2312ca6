// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/conv/tap_grid.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// The matrix whose product with a filter is a convolution: a row for each result pixel (image, row, column), in it
/// what its taps read (tap row, tap column, channel), zero beside the image.
template <class T>
struct patches {
  const T* image = nullptr;  // (images, rows.sources, columns.sources, channels)
  index_t images = 0, channels = 0;
  tap_grid rows, columns;
  index_t pixel = channels;  // elements from one pixel to the next: more where these are some of the channels

  [[nodiscard]] constexpr index_t pixels() const noexcept { return images * rows.results * columns.results; }
  [[nodiscard]] constexpr index_t depth() const noexcept { return rows.taps.count * columns.taps.count * channels; }
  /// Whether pixels lie side by side, all their channels in use.
  [[nodiscard]] constexpr bool is_dense() const noexcept { return pixel == channels; }
  /// Whether the image is this matrix.
  [[nodiscard]] constexpr bool are_in_place() const noexcept { return rows.is_identity() && columns.is_identity(); }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

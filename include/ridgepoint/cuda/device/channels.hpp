// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// y(i, j) ← x(i, j − before) if that is one of the `narrow` columns, else 0; rows have stride `stride`.
template <class T>
__global__ void shift_channels(index_t rows, divisor cols, index_t before, index_t narrow, const T* x, index_t x_stride,
                               T* y, index_t y_stride) {
  for (index_t e = first_element(); e < rows * cols; e += element_stride()) {
    const auto [i, j] = divide(e, cols);
    const index_t from = j - before;
    y[i * y_stride + j] = from >= 0 && from < narrow ? x[i * x_stride + from] : T(0);
  }
}
/// y(i, j) ← a(i, j) if j is one of the `first` columns, else b(i, j − first).
template <class T>
__global__ void concat_channels(index_t rows, divisor cols, index_t first, const T* a, index_t a_stride, const T* b,
                                index_t b_stride, T* y, index_t y_stride) {
  for (index_t e = first_element(); e < rows * cols; e += element_stride()) {
    const auto [i, j] = divide(e, cols);
    y[i * y_stride + j] = j < first ? a[i * a_stride + j] : b[i * b_stride + j - first];
  }
}

}  // namespace ridgepoint_device

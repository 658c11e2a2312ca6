// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/array/array_kernels.hpp>
#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Converts a value to the array's format, held in a float: bf16 rounded, int8 exact.
template <array_format Format>
[[nodiscard]] RIDGEPOINT_INLINE float enter_array(array_operand_t<Format> x) noexcept {
  return static_cast<float>(Format(x));
}

template <array_format Format>
RIDGEPOINT_NOINLINE void array_pack<Format>::run(const matrix_view<const array_operand_t<Format>>& v, index_t pitch,
                                                 float* dst) noexcept {
  if (v.row_stride == 1 && v.col_stride != 1) {  // read along the contiguous direction
    for (index_t j = 0; j < v.cols; ++j)
      for (index_t p = 0; p < v.rows; ++p) dst[p * pitch + j] = enter_array<Format>(v.data[j * v.col_stride + p]);
  } else if (v.col_stride == 1) {
    for (index_t p = 0; p < v.rows; ++p)
      for (index_t j = 0; j < v.cols; ++j) dst[p * pitch + j] = enter_array<Format>(v.data[p * v.row_stride + j]);
  } else {
    for (index_t p = 0; p < v.rows; ++p)
      for (index_t j = 0; j < v.cols; ++j) dst[p * pitch + j] = enter_array<Format>(v(p, j));
  }
  for (index_t p = 0; v.cols < pitch && p < v.rows; ++p)
    for (index_t j = v.cols; j < pitch; ++j) dst[p * pitch + j] = 0.0F;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/cuda/runtime/context.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// sums(j) ← Σ_i x(i, j) unless sums is null, a column by a block. Requires: elements of a row are adjacent.
template <class T>
void column_sums(cuda_context& on, const matrix_view<const T>& x, T* sums) {
  if (sums != nullptr && x.cols != 0)
    on.launch(reduction_kernels<T>::column_sums, on.rows(x.cols, x.rows), x.rows, x.cols, x.row_stride, x.data, sums);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

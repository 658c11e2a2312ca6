// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/softmax.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y(i, :) ← softmax(x(i, :)), a row by a block.
template <class T>
void execute(cuda_context& on, const softmax_args<T>& s, void*) {
  if (s.x.rows != 0)
    on.launch(loss_kernels<T>::softmax, on.rows(s.x.rows, s.x.cols), s.x.rows, s.x.cols, s.x.data, s.x.row_stride,
              s.x.col_stride, s.y.data, s.y.row_stride, s.y.col_stride);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

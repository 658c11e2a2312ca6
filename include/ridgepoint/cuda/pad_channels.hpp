// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/pad_channels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// to(i, j) ← from(i, j − before), 0 where there is no such column.
template <class T>
void shift_channels(cuda_context& on, index_t before, const matrix_view<const T>& from, const matrix_view<T>& to) {
  if (to.rows != 0 && to.cols != 0)
    on.launch(channel_kernels<T>::shift, on.loop(to.rows * to.cols), to.rows, to.cols, before, from.cols, from.data,
              from.row_stride, to.data, to.row_stride);
}
template <class T>
void execute(cuda_context& on, const pad_channels_args<T>& a, void*) {
  shift_channels<T>(on, a.before, a.x, a.y);
}
template <class T>
void execute(cuda_context& on, const pad_channels_backward_args<T>& a, void*) {
  shift_channels<T>(on, -a.before, a.dy, a.dx);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

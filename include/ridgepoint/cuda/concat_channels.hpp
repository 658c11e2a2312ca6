// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/concat_channels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y ← [a b], a pass of one kernel.
template <class T>
void execute(cuda_context& on, const concat_channels_args<T>& c, void*) {
  if (c.y.rows != 0 && c.y.cols != 0)
    on.launch(channel_kernels<T>::concat, on.loop(c.y.rows * c.y.cols), c.y.rows, c.y.cols, c.a.cols, c.a.data,
              c.a.row_stride, c.b.data, c.b.row_stride, c.y.data, c.y.row_stride);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

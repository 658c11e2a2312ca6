// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y ← the mean of each window, an output by a thread.
template <class T>
void execute(cuda_context& on, const avg_pool2d_args<T>& a, void*) {
  if (a.geometry.n != 0)
    on.launch(pooling_kernels<T>::avg_pool2d, on.loop(a.geometry.output_size()), windows_of(a.geometry), a.over, a.x,
              a.y);
}
/// dx ← Σ dy / what the mean is over: each input looks at the windows that hold it, always in one order.
template <class T>
void execute(cuda_context& on, const avg_pool2d_backward_args<T>& a, void*) {
  if (a.geometry.n != 0)
    on.launch(pooling_kernels<T>::avg_pool2d_backward, on.loop(a.geometry.input_size()), windows_of(a.geometry), a.over,
              a.dy, a.dx);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y ← the largest of each window and index ← its tap, an output by a thread.
template <class T>
void execute(cuda_context& on, const max_pool2d_args<T>& a, void*) {
  if (a.geometry.n != 0)
    on.launch(pooling_kernels<T>::max_pool2d, on.loop(a.geometry.output_size()), windows_of(a.geometry), a.x, a.y,
              a.index);
}
/// dx ← Σ dy of the outputs whose largest it was: each input looks at the windows that hold it, always in one order.
template <class T>
void execute(cuda_context& on, const max_pool2d_backward_args<T>& a, void*) {
  if (a.geometry.n != 0)
    on.launch(pooling_kernels<T>::max_pool2d_backward, on.loop(a.geometry.input_size()), windows_of(a.geometry), a.dy,
              a.index, a.dx);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

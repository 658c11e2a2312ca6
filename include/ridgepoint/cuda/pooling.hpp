// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y ← the mean of each window, one thread per output.
template <class T>
void execute(cuda_context& on, const avg_pool2d_args<T>& a, void*) {
  if (a.geometry.n != 0)
    on.launch(pooling_kernels<T>::avg_pool2d, on.loop(a.geometry.output_size()), windows_of(a.geometry), a.over, a.x,
              a.y);
}
/// dx ← Σ dy / the mean's divisor; each input reads the windows that contain it, always in the same order.
template <class T>
void execute(cuda_context& on, const avg_pool2d_backward_args<T>& a, void*) {
  if (a.geometry.n != 0)
    on.launch(pooling_kernels<T>::avg_pool2d_backward, on.loop(a.geometry.input_size()), windows_of(a.geometry), a.over,
              a.dy, a.dx);
}

/// y ← the largest value of each window and index ← its tap, one thread per output.
template <class T>
void execute(cuda_context& on, const max_pool2d_args<T>& a, void*) {
  if (a.geometry.n != 0)
    on.launch(pooling_kernels<T>::max_pool2d, on.loop(a.geometry.output_size()), windows_of(a.geometry), a.x, a.y,
              a.index);
}
/// dx ← Σ dy of the outputs whose maximum it was; each input reads the windows that contain it, always in the same
/// order.
template <class T>
void execute(cuda_context& on, const max_pool2d_backward_args<T>& a, void*) {
  if (a.geometry.n != 0)
    on.launch(pooling_kernels<T>::max_pool2d_backward, on.loop(a.geometry.input_size()), windows_of(a.geometry), a.dy,
              a.index, a.dx);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

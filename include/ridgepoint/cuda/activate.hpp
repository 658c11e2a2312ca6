// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/activate.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y(i) ← f(x(i)), a pass of one kernel.
template <class T>
void execute(cuda_context& on, const activate_args<T>& a, void*) {
  if (a.size != 0)
    on.launch(elementwise_kernels<T>::activate, on.loop(a.size), a.f, static_cast<compute_t<T>>(a.slope), a.size, a.x,
              a.y);
}
/// dx(i) ← f'·dy(i), the same.
template <class T>
void execute(cuda_context& on, const activate_backward_args<T>& a, void*) {
  if (a.size != 0)
    on.launch(elementwise_kernels<T>::activate_backward, on.loop(a.size), a.f, static_cast<compute_t<T>>(a.slope),
              a.size, a.y, a.dy, a.dx);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/positions.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y(n, t, c) ← scale·x(n, t, c) + sinusoid(t, c), which a thread computes once for all of its samples.
template <class T>
void execute(cuda_context& on, const positions_args<T>& p, void*) {
  if (p.n * p.steps * p.width != 0)
    on.launch(sequence_kernels<T>::positions, on.loop(p.n * p.steps * p.width), p.n, p.steps, p.width,
              static_cast<compute_t<T>>(p.scale), p.x, p.y);
}
/// dx(i) ← scale·dy(i).
template <class T>
void execute(cuda_context& on, const positions_backward_args<T>& p, void*) {
  if (p.size != 0)
    on.launch(sequence_kernels<T>::scaled, on.loop(p.size), p.size, static_cast<compute_t<T>>(p.scale), p.dy, p.dx);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

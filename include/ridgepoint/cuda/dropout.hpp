// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/dropout.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y(i) ← kept(i) ? x(i)·scale : 0, with the bits of dropout_mask.
template <class T>
void execute(cuda_context& on, const dropout_args<T>& d, void*) {
  if (d.size == 0) return;
  const dropout_mask mask(d.rate, d.seed, 0, d.stream);  // the step is known on the device
  on.launch(elementwise_kernels<T>::dropout, on.loop(d.size), d.size, d.x, d.y, mask.threshold,
            static_cast<compute_t<T>>(mask.scale()), d.seed, d.stream, d.state, d.steps, d.width);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

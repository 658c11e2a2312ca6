// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/fold_batch_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// folded_w ← w·scale and folded_bias ← beta + (bias − mean)·scale, by one kernel.
template <class T>
void execute(cuda_context& on, const fold_batch_norm_args<T>& a, void*) {
  const column_shape shape = on.columns(a.lines, a.channels);
  on.launch(batch_norm_kernels<T>::fold, shape.threads, static_cast<T>(a.options.epsilon), a.lines, a.channels,
            shape.width, a.w, a.bias, a.gamma, a.beta, a.mean, a.variance, a.folded_w, a.folded_bias);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

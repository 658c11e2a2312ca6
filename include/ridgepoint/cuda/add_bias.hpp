// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/add_bias.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y(i, j) ← f(x(i, j) + bias(j)).
template <class T>
void execute(cuda_context& on, const add_bias_args<T>& a, void*) {
  if (a.rows != 0)
    on.launch(elementwise_kernels<T>::add_bias, on.loop(a.rows * a.channels), a.act, a.rows, a.channels, a.channels,
              a.x, a.bias, a.y);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

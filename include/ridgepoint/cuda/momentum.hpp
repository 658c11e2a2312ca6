// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/update_parts.hpp>
#include <ridgepoint/ops/momentum.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <class T>
void execute(cuda_context& on, const momentum_update_args<T>& u, void*) {
  on.launch(update_kernels<T>::momentum, update_shape(on, u), static_cast<T>(u.options.momentum), u.size, u.w, u.g, u.a,
            u.state, u.rule, u.listed);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

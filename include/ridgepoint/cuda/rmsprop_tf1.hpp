// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/update_parts.hpp>
#include <ridgepoint/ops/rmsprop_tf1.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <class T>
void execute(cuda_context& on, const rmsprop_tf1_update_args<T>& u, void*) {
  on.launch(update_kernels<T>::rmsprop_tf1, update_shape(on, u), static_cast<T>(1 - u.options.rho),
            static_cast<T>(u.options.momentum), static_cast<T>(u.options.epsilon), u.size, u.w, u.g, u.ms, u.mom,
            u.state, u.rule, u.listed);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

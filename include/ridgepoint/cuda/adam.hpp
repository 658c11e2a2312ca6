// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/update_parts.hpp>
#include <ridgepoint/ops/adam.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <class T>
void execute(cuda_context& on, const adam_update_args<T>& u, void*) {
  on.launch(update_kernels<T>::adam, update_shape(on, u), u.options.beta1, u.options.beta2,
            static_cast<T>(1 - u.options.beta1), static_cast<T>(1 - u.options.beta2), static_cast<T>(u.options.epsilon),
            u.size, u.w, u.g, u.m, u.v, u.state, u.rule, u.listed);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

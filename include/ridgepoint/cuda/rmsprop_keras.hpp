// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/update_parts.hpp>
#include <ridgepoint/ops/rmsprop_keras.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <class T>
void execute(cuda_context& on, const rmsprop_keras_update_args<T>& u, void*) {
  on.launch(update_kernels<T>::rmsprop_keras, update_shape(on, u), static_cast<T>(u.options.rho),
            static_cast<T>(1 - u.options.rho), static_cast<T>(u.options.epsilon), u.size, u.w, u.g, u.a, u.state,
            u.rule, u.listed);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

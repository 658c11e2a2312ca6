// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/update_parts.hpp>
#include <ridgepoint/ops/adadelta.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <class T>
void execute(cuda_context& on, const adadelta_update_args<T>& u, void*) {
  on.launch(update_kernels<T>::adadelta, update_shape(on, u), static_cast<T>(u.options.rho),
            static_cast<T>(1 - u.options.rho), static_cast<T>(u.options.epsilon), u.size, u.w, u.g, u.a, u.d, u.state,
            u.rule, u.listed);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

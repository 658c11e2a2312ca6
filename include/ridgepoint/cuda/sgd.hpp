// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/update_parts.hpp>
#include <ridgepoint/ops/sgd.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <class T>
void execute(cuda_context& on, const sgd_update_args<T>& u, void*) {
  on.launch(update_kernels<T>::sgd, update_shape(on, u), u.size, u.w, u.g, u.state, u.rule, u.listed);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

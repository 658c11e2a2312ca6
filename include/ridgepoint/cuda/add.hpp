// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/add.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y(i) ← a(i) + b(i).
template <class T>
void execute(cuda_context& on, const add_args<T>& s, void*) {
  if (s.size != 0) on.launch(elementwise_kernels<T>::add, on.loop(s.size), s.size, s.a, s.b, s.y);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/optimiser.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Threads for the weights that an update touches.
template <class Args>
[[nodiscard]] launch_shape update_shape(const cuda_context& on, const Args& u) {
  return on.loop(static_cast<index_t>(touched_weights(u)));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

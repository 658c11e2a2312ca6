// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/step_state.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// step ← step + 1, learning_rate ← rate(step), and what becomes of the loss scale, by one thread where the state is.
inline void execute(cuda_context& on, const advance_args& a, void*) {
  on.launch(untyped_kernels::advance, {}, a.state, a.schedule, a.steps_to_grow);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

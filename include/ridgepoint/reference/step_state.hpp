// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/step_state.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// step ← step + 1, learning_rate ← rate(step), and what becomes of the loss scale.
inline void execute(const reference_backend&, const advance_args& a) { end_step(a); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

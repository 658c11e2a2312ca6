// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/step_state.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// step ← step + 1.
inline void execute(const reference_backend&, const advance_args& a) { ++a.state->step; }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

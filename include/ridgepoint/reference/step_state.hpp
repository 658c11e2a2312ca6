// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/step_state.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// step ← step + 1, learning_rate ← rate(step).
inline void execute(const reference_backend&, const advance_args& a) {
  step_state& s = *a.state;
  ++s.step;
  if (a.schedule.changes()) s.learning_rate = scheduled_rate(a.schedule, s.base_learning_rate, s.step);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

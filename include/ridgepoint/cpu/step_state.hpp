// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/native_cpu.hpp>
#include <ridgepoint/ops/step_state.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

inline void execute(const native_cpu&, const advance_args& a) {
  step_state& s = *a.state;
  ++s.step;
  if (a.schedule.changes()) s.learning_rate = scheduled_rate(a.schedule, s.base_learning_rate, s.step);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

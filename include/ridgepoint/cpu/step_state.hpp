// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/native_cpu.hpp>
#include <ridgepoint/ops/step_state.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

inline void execute(const native_cpu&, const advance_args& a) { end_step(a); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

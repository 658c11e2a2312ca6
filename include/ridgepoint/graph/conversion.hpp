// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/plan_builder.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// When a call is run: in its place of every step, or where parameters have been changed from outside.
enum class when { every_step, parameters_change };

/// Emits the op that writes the numbers of one slot to another, of which one holds float and the other a shorter type.
/// With a step_state they are gradients: see convert_args.
void emit_conversion(plan_builder& builder, slot from, slot to, call_info info, when run = when::every_step,
                     slot scale_state = {});

/// The numbers of a slot in a type: the same slot where it holds that type or no numbers, else memory of their own.
[[nodiscard]] slot converted(plan_builder& builder, slot from, element type, const call_info& info,
                             slot scale_state = {});

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/conversion-inl.hpp>
#endif

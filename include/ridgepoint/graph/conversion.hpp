// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/plan_builder.hpp>
#include <ridgepoint/ops/convert.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// When a call is run: in its place of every step, or where parameters have been changed from outside.
enum class when { every_step, parameters_change };

/// Emits the op that writes the numbers of one slot to another, of which one holds float and the other bfloat16.
void emit_conversion(plan_builder& builder, slot from, slot to, call_info info, when run = when::every_step);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION void emit_conversion(plan_builder& builder, slot from, slot to, call_info info, when run) {
  const auto size = static_cast<index_t>(builder.bytes(from) / bytes_of(builder.type(from)));
  info.shape = concat(size, ' ', builder.type(from), " to ", builder.type(to));
  const auto emit = [&](const auto& make) {
    if (run == when::every_step) builder.emit(info, make);
    else builder.emit_for_parameters(info, make);
  };
  if (builder.type(to) == element::bf16)
    emit([=](const addresses& at) { return convert_args<bfloat16, float>{.size = size, .x = at(from), .y = at(to)}; });
  else
    emit([=](const addresses& at) { return convert_args<float, bfloat16>{.size = size, .x = at(from), .y = at(to)}; });
}
#endif

/// The numbers of a slot in a type: the same slot where it holds that type or no numbers, else memory of their own.
[[nodiscard]] slot converted(plan_builder& builder, slot from, element type, const call_info& info);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION slot converted(plan_builder& builder, slot from, element type, const call_info& info) {
  const element held = from.exists() ? builder.type(from) : type;
  if (held == type || !is_number(held)) return from;
  const auto count = static_cast<index_t>(builder.bytes(from) / bytes_of(held));
  const slot to = builder.reserve(memory_region::arena, type, count, concat(info.layer, '.', type));
  emit_conversion(builder, from, to, info);
  return to;
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/conversion.hpp>
#include <ridgepoint/ops/convert.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

RIDGEPOINT_DEFINITION void emit_conversion(plan_builder& builder, slot from, slot to, call_info info, when run,
                                           slot scale_state) {
  const auto size = static_cast<index_t>(builder.bytes(from) / bytes_of(builder.type(from)));
  info.shape = concat(size, ' ', builder.type(from), " to ", builder.type(to));
  const auto add_call = [&]<class To, class From>(To, From) {
    const auto make = [=](const addresses& at) {
      return convert_args<To, From>{.size = size, .x = at(from), .y = at(to), .scale_state = at(scale_state)};
    };
    if (run == when::every_step) builder.add_call(info, make);
    else builder.add_parameter_call(info, make);
  };
  const auto between = [&](auto narrow) {
    if (bytes_of(builder.type(to)) < sizeof(float)) add_call(narrow, float());
    else add_call(float(), narrow);
  };
  if (builder.type(to) == element::f16 || builder.type(from) == element::f16) between(float16());
  else between(bfloat16());
}

RIDGEPOINT_DEFINITION slot converted(plan_builder& builder, slot from, element type, const call_info& info,
                                     slot scale_state) {
  const element held = from.exists() ? builder.type(from) : type;
  if (held == type || !is_number(held)) return from;
  const auto count = static_cast<index_t>(builder.bytes(from) / bytes_of(held));
  const slot to = builder.reserve(memory_region::arena, type, count, concat(info.layer, '.', type));
  emit_conversion(builder, from, to, info, when::every_step, scale_state);
  return to;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/plan_memory.hpp>
#include <ridgepoint/roofline/format.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

RIDGEPOINT_DEFINITION std::string to_string(const plan_memory& m) {
  const auto in_bytes = [](std::size_t bytes) { return quantity(static_cast<double>(bytes), "B"); };
  std::string text = concat(in_bytes(m.bytes()), ':');
  const auto add = [&](std::string_view what, std::size_t bytes) {
    if (bytes != 0) text += concat(' ', what, ' ', in_bytes(bytes), ',');
  };
  for (std::size_t r = 0; r < region_count; ++r) add(to_string(static_cast<memory_region>(r)), m.region_bytes[r]);
  add("workspace", m.workspace_bytes);
  add("constants", m.constant_bytes);
  add("batches ahead", m.ahead_bytes);
  text.pop_back();
  if (m.saved_bytes != 0)
    text += concat("; ", figures(static_cast<double>(m.bytes()) / static_cast<double>(m.kept_bytes())),
                   " times parameters, gradients, moments and ", in_bytes(m.saved_bytes), " of saved activations");
  return text;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

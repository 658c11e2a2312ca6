// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/graph/plan.hpp>

/// A compiled plan as machine-independent text; different plans have different texts.
namespace plan_text {

namespace rp = ridgepoint;

/// "dense_1.y arena 0+262144, …": a slot's name, its region, its offset and its bytes.
inline std::string of(const rp::plan& steps, const std::vector<rp::slot>& slots) {
  std::string text;
  for (const rp::slot id : slots) {
    const rp::planned_slot& s = steps[id];
    text += rp::concat(text.empty() ? "" : ", ", s.name, ' ', to_string(s.where), ' ', s.offset, '+', s.bytes);
  }
  return text;
}

/// Layer, pass, op and shape of a call, its receipt, and the memory that it accesses.
inline std::string of(const rp::plan& steps, const rp::planned_call& call) {
  const rp::work& cost = call.info.receipt;
  std::string text =
      rp::concat(call.info.layer, ' ', to_string(call.info.pass), ' ', *call.op, ' ', call.info.shape, "\n  FLOP ",
                 cost.flop, ", matrix ", cost.matrix_flop, ", special ", cost.special, "; bytes of inputs ",
                 cost.bytes.inputs, ", weights ", cost.bytes.weights, ", outputs ", cost.bytes.outputs);
  text += rp::concat("\n  reads ", of(steps, call.reads), "\n  writes ", of(steps, call.writes));
  if (call.overwrites.exists()) text += rp::concat("\n  overwrites ", of(steps, {call.overwrites}));
  return text + '\n';
}

/// Every call in order of execution, then every region's bytes.
inline std::string of(const rp::plan& steps) {
  std::string text;
  for (const rp::planned_call& call : steps.calls) text += of(steps, call);
  for (std::size_t r = 0; r < rp::region_count; ++r)
    text += rp::concat(to_string(static_cast<rp::memory_region>(r)), ' ', steps.region_bytes[r], " bytes\n");
  return text + rp::concat("arena without reuse ", steps.arena_sum_bytes, " bytes\n");
}

}  // namespace plan_text

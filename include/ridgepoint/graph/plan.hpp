// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <typeindex>
#include <vector>

#include <ridgepoint/core/element.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/graph/plan_memory.hpp>
#include <ridgepoint/graph/planned_op.hpp>
#include <ridgepoint/graph/slot.hpp>
#include <ridgepoint/roofline/work.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A place the plan reserves: `bytes` at `offset` of its region.
struct planned_slot {
  std::string name;
  element type = element::other;  // of its values
  memory_region where = memory_region::arena;
  std::size_t bytes = 0;
  std::size_t offset = 0;
};

/// What a call is, for reports and for the planner.
struct call_info {
  std::string layer = {};  // left empty: the layer being lowered
  ridgepoint::pass pass = ridgepoint::pass::forward;
  std::string shape = {};
  work receipt = {};
};

/// One op of a step: its arguments can be made as soon as the addresses are known.
struct planned_call {
  call_info info;
  planned_op what = {};
  planned_arguments arguments = {};
  element held = element::other;        // the type of the elements that it works on
  std::string op = {};                  // "dense<float>"
  std::type_index type = typeid(void);  // of the arguments
  std::vector<slot> reads = {}, writes = {};
  slot overwrites = {}, result = {};  // a slot read, and the slot written that may take its memory

  /// The arguments over slots at these addresses.
  /// Throws: shape_error where an operand has no memory or lies on one that it must not touch.
  [[nodiscard]] std::shared_ptr<const void> bind(const addresses& at) const;
};

/// A step as a list of calls over slots with fixed offsets: everything about a compiled graph but the backend.
struct plan {
  std::vector<planned_slot> planned_slots;
  std::vector<planned_call> calls;            // in order of execution
  std::vector<planned_call> parameter_calls;  // to be run where parameters have changed but by these
  std::vector<slot> kept;                     // what is read when a step has ended
  std::array<std::size_t, region_count> region_bytes{};
  std::size_t arena_sum_bytes = 0;   // what the arena would take without reuse
  bool constant_parameters = false;  // they change between steps only where the program is told

  [[nodiscard]] std::size_t bytes(memory_region r) const noexcept { return region_bytes[static_cast<std::size_t>(r)]; }
  [[nodiscard]] const planned_slot& operator[](slot s) const {
    return planned_slots[static_cast<std::size_t>(s.index)];
  }
  /// How many calls there are up to the last loss: those after it learn.
  [[nodiscard]] std::size_t forward_calls() const {
    std::size_t count = calls.size();
    while (count > 0 && calls[count - 1].info.pass != pass::forward) --count;
    return count;
  }

  /// What it takes: known before it runs.
  [[nodiscard]] plan_memory memory() const;

  /// Sum of the receipts of all calls.
  [[nodiscard]] work receipt() const {
    work total;
    for (const planned_call& call : calls) total += call.info.receipt;
    return total;
  }
  /// Sum of the receipts of one pass.
  [[nodiscard]] work receipt(pass p) const {
    work total;
    for (const planned_call& call : calls)
      if (call.info.pass == p) total += call.info.receipt;
    return total;
  }
  /// Bytes of the slots a call touches.
  [[nodiscard]] std::uint64_t footprint_bytes(const planned_call& call) const {
    std::vector<int> touched;
    for (const auto* ids : {&call.reads, &call.writes})
      for (const slot s : *ids) touched.push_back(s.index);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    std::uint64_t bytes = 0;
    for (const int s : touched) bytes += planned_slots[static_cast<std::size_t>(s)].bytes;
    return bytes;
  }

 private:
  /// Bytes of the arena that are written before call c and read by it or after it.
  [[nodiscard]] std::size_t arena_bytes_across(std::size_t c) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/plan-inl.hpp>
#endif

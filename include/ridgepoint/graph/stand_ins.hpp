// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <ridgepoint/graph/plan.hpp>
#include <ridgepoint/ops/check_operands.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Addresses of slots before there is memory: never followed, and so far apart that an operand which is made from one
/// tells by its address which slot it lies in.
class stand_ins {
 public:
  /// The next slot.
  /// Throws: shape_error if all slots take more than the addresses there are.
  void add(std::size_t bytes) {
    const std::uintptr_t room = (bytes / apart + 2) * apart;
    require<shape_error>(room <= std::numeric_limits<std::uintptr_t>::max() - next_, "plan: a slot of ", bytes,
                         " bytes beside the others takes more than there are addresses; must fit");
    at_.add(reinterpret_cast<void*>(next_));
    begins_.push_back(next_);
    next_ += room;
  }
  [[nodiscard]] const addresses& at() const noexcept { return at_; }

  /// The slot a checked operand lies in.
  /// Throws: shape_error where it reaches beyond its slot, or lies in none.
  [[nodiscard]] slot_id slot_of(const planned_call& call, const operand& o,
                                const std::vector<planned_slot>& slots) const {
    index_t low = 0, high = 0;  // elements from `data`
    for (std::size_t i = 0; i < o.rank && !o.empty(); ++i)
      (o.strides[i] < 0 ? low : high) += (o.extents[i] - 1) * o.strides[i];
    const auto at = reinterpret_cast<std::uintptr_t>(o.data);
    const auto behind = std::upper_bound(begins_.begin(), begins_.end(), at);
    require<shape_error>(behind != begins_.begin(), call.info.layer, ": ", call.op, " has its ", o.name,
                         " beside the plan; must lie in a slot");
    const slot_id found{static_cast<int>(behind - begins_.begin()) - 1};
    const planned_slot& slot = slots[static_cast<std::size_t>(found.index)];
    const auto bytes = static_cast<index_t>(o.element_bytes), offset = static_cast<index_t>(at - *(behind - 1));
    const index_t first = offset + low * bytes, end = offset + (o.empty() ? 0 : (high + 1) * bytes);
    require<shape_error>(first >= 0 && end <= static_cast<index_t>(slot.bytes), call.info.layer, ": ", call.op,
                         " has its ", o.name, " at bytes ", first, " to ", end, " of ", slot.name, "; must lie within ",
                         slot.bytes);
    return found;
  }

 private:
  static constexpr std::uintptr_t apart = std::uintptr_t{1} << 32;
  addresses at_;
  std::vector<std::uintptr_t> begins_;
  std::uintptr_t next_ = apart;
};

/// Lists the slots a call reads and writes, those where the operands of its op lie, and which of them it may work in
/// place on: the first that may be overwritten by an output that lies alike, each from the beginning of its slot on.
/// Throws: shape_error where an operand reaches beyond its slot, or lies in none.
inline void list_slots(planned_call& call, std::span<const operand> operands, const stand_ins& memory,
                       const std::vector<planned_slot>& slots) {
  for (const operand& o : operands) {
    if (o.data == nullptr) continue;
    const slot_id slot = memory.slot_of(call, o, slots);
    if (reads(o.role)) call.reads.push_back(slot);
    if (!writes(o.role)) continue;
    call.writes.push_back(slot);
    const auto from = std::find_if(operands.begin(), operands.end(), [&](const operand& other) {
      return other.may_be_overwritten && other.data != nullptr && detail::lie_alike(other, o);
    });
    if (from == operands.end() || call.result.exists()) continue;
    const slot_id taken = memory.slot_of(call, *from, slots);
    const auto whole = [&](slot_id s, const operand& x) { return memory.at().address(s) == x.data; };
    if (whole(slot, o) && whole(taken, *from)) call.overwrites = taken, call.result = slot;
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

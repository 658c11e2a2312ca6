// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>

#include <ridgepoint/graph/stand_ins.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

RIDGEPOINT_DEFINITION void stand_ins::add(std::size_t bytes, element type) {
  const std::size_t widen = is_number(type) ? sizeof(double) / bytes_of(type) : 1;
  const std::uintptr_t room = (bytes / (apart / widen) + 2) * apart;
  require<shape_error>(room <= (std::numeric_limits<std::uintptr_t>::max)() - next_, "plan: a slot of ", bytes,
                       " bytes beside the others takes more than there are addresses; must fit");
  at_.add(reinterpret_cast<void*>(next_));
  begins_.push_back(next_);
  next_ += room;
}
RIDGEPOINT_DEFINITION slot stand_ins::slot_at(const planned_call& call, const operand& o) const {
  const auto behind = std::upper_bound(begins_.begin(), begins_.end(), reinterpret_cast<std::uintptr_t>(o.data));
  require<shape_error>(behind != begins_.begin(), call.info.layer, ": ", call.op, " has its ", o.name,
                       " beside the plan; must lie in a slot");
  return {static_cast<int>(behind - begins_.begin()) - 1};
}
RIDGEPOINT_DEFINITION slot stand_ins::slot_of(const planned_call& call, const operand& o,
                                              const std::vector<planned_slot>& planned_slots) const {
  const slot found = slot_at(call, o);
  index_t low = 0, high = 0;  // elements from `data`
  for (std::size_t i = 0; i < o.rank && !o.empty(); ++i)
    (o.strides[i] < 0 ? low : high) += (o.extents[i] - 1) * o.strides[i];
  const auto number = static_cast<std::size_t>(found.index);
  const planned_slot& held = planned_slots[number];
  const auto bytes = static_cast<index_t>(o.element_bytes);
  const auto offset = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(o.data) - begins_[number]);
  const index_t first = offset + low * bytes, end = offset + (o.empty() ? 0 : (high + 1) * bytes);
  require<shape_error>(first >= 0 && end <= static_cast<index_t>(held.bytes), call.info.layer, ": ", call.op,
                       " has its ", o.name, " at bytes ", first, " to ", end, " of ", held.name, "; must lie within ",
                       held.bytes);
  return found;
}

RIDGEPOINT_DEFINITION element stored_type(const planned_call& call, std::span<const operand> operands,
                                          const stand_ins& memory, const std::vector<planned_slot>& planned_slots) {
  element type = element::stored;
  for (const operand& o : operands) {
    if (o.data == nullptr) continue;
    const planned_slot& held = planned_slots[static_cast<std::size_t>(memory.slot_at(call, o).index)];
    if (o.type == element::stored && type == element::stored && is_number(held.type)) type = held.type;
    const element wanted = o.type == element::stored ? type : o.type;
    require<value_error>(held.type == wanted, call.info.layer, ": ", call.op, " has its ", o.name, " in ", held.name,
                         ", which holds ", held.type, "; must hold ",
                         wanted == element::stored ? "f32, f64, bf16 or f16" : to_string(wanted));
  }
  return type;
}

RIDGEPOINT_DEFINITION void list_slots(planned_call& call, std::span<const operand> operands, const stand_ins& memory,
                                      const std::vector<planned_slot>& planned_slots) {
  for (const operand& o : operands) {
    if (o.data == nullptr) continue;
    const slot at = memory.slot_of(call, o, planned_slots);
    if (reads(o.role)) call.reads.push_back(at);
    if (!writes(o.role)) continue;
    call.writes.push_back(at);
    const auto from = std::find_if(operands.begin(), operands.end(), [&](const operand& other) {
      return other.may_be_overwritten && other.data != nullptr && detail::lie_alike(other, o);
    });
    if (from == operands.end() || call.result.exists()) continue;
    const slot taken = memory.slot_of(call, *from, planned_slots);
    const auto whole = [&](slot s, const operand& x) { return static_cast<const void*>(memory.at()(s)) == x.data; };
    if (whole(at, o) && whole(taken, *from)) call.overwrites = taken, call.result = at;
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ridgepoint/graph/plan.hpp>
#include <ridgepoint/ops/check_operands.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Addresses of slots before there is memory: never followed, and so far apart that an operand which is made from one
/// tells by its address which slot it lies in.
class stand_ins {
 public:
  /// The next slot. Numbers get room for the widest, since the checks of an op count with these where it is planned for
  /// any.
  /// Throws: shape_error if all slots take more than the addresses there are.
  void add(std::size_t bytes, element type);
  [[nodiscard]] const addresses& at() const noexcept { return at_; }

  /// The slot an operand lies in.
  /// Throws: shape_error if in none.
  [[nodiscard]] slot slot_at(const planned_call& call, const operand& o) const;
  /// The same of a checked operand.
  /// Throws: shape_error where it reaches beyond its slot, or lies in none.
  [[nodiscard]] slot slot_of(const planned_call& call, const operand& o,
                             const std::vector<planned_slot>& planned_slots) const;

 private:
  static constexpr std::uintptr_t apart = std::uintptr_t{1} << 32;
  addresses at_;
  std::vector<std::uintptr_t> begins_;
  std::uintptr_t next_ = apart;
};

/// The type of the slots where the operands of a call lie that are planned for any; stored if there are none.
/// Throws: value_error if they are of different types, or another operand is not of its slot's; shape_error for one
/// that lies in no slot.
[[nodiscard]] element stored_type(const planned_call& call, std::span<const operand> operands, const stand_ins& memory,
                                  const std::vector<planned_slot>& planned_slots);

/// Lists the slots a call reads and writes, those where the operands of its op lie, and which of them it may work in
/// place on: the first that may be overwritten by an output that lies alike, each from the beginning of its slot on.
/// Throws: shape_error where an operand reaches beyond its slot, or lies in none.
void list_slots(planned_call& call, std::span<const operand> operands, const stand_ins& memory,
                const std::vector<planned_slot>& planned_slots);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/stand_ins-inl.hpp>
#endif

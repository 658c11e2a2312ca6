// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/graph/plan.hpp>
#include <ridgepoint/ops/operand.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Placeholder addresses of slots before memory is allocated. They are never dereferenced; a large stride between them
/// makes the slot of an operand recognisable by its address.
class placeholder_addresses {
 public:
  /// Adds the next slot. Numbers get space for the widest type, since ops planned for any type are checked with that.
  /// Throws: shape_error if all slots exceed the address space.
  void add(std::size_t bytes, element type);
  [[nodiscard]] const addresses& at() const noexcept { return at_; }

  /// Returns the slot of an operand.
  /// Throws: shape_error if it is in none.
  [[nodiscard]] slot slot_at(const planned_call& call, const operand& o) const;
  /// Returns the slot of a checked operand.
  /// Throws: shape_error if it extends beyond its slot, or is in none.
  [[nodiscard]] slot slot_of(const planned_call& call, const operand& o,
                             const std::vector<planned_slot>& planned_slots) const;

 private:
  static constexpr std::uintptr_t stride = std::uintptr_t{1} << 32;
  addresses at_;
  std::vector<std::uintptr_t> begins_;
  std::uintptr_t next_ = stride;
};

/// Returns the type of the slots whose operands a call leaves open (element::stored); stored if there are none.
/// Throws: value_error if they have different types, or another operand differs from its slot's type; shape_error for
/// an operand in no slot.
[[nodiscard]] element stored_type(const planned_call& call, std::span<const operand> operands,
                                  const placeholder_addresses& memory, const std::vector<planned_slot>& planned_slots);

/// Lists the slots a call reads and writes, from its op's operands, and the pair it may work in place on: the first
/// overwritable operand with the same position and layout as an output, each at the beginning of its slot.
/// Throws: shape_error if an operand extends beyond its slot, or is in none.
void list_slots(planned_call& call, std::span<const operand> operands, const placeholder_addresses& memory,
                const std::vector<planned_slot>& planned_slots);

struct interval;

/// Collects slots and calls, then lays out memory.
class plan_builder {
 public:
  /// Reserves a slot of `count` values. Slots outside the arena follow one another in order of reservation.
  /// Throws: shape_error if its size or the region's does not fit.
  [[nodiscard]] slot reserve(memory_region where, element type, index_t count, std::string name) {
    return reserve_bytes(where, type, checked_mul(count, static_cast<index_t>(bytes_of(type))), std::move(name));
  }
  /// For values without an element type: the scalars of a step.
  template <class T>
  [[nodiscard]] slot reserve(memory_region where, index_t count, const std::string& name) {
    return reserve_bytes(where, element_of<T>, checked_mul(count, static_cast<index_t>(sizeof(T))), name);
  }
  /// Returns the `count` values from `first` on of a slot outside the arena, as a separate slot.
  [[nodiscard]] slot part(slot whole, index_t first, index_t count, std::string name) {
    return part_of_bytes(whole, first, count, bytes_of(type(whole)), std::move(name));
  }
  /// For values without an element type.
  template <class T>
  [[nodiscard]] slot part(slot whole, index_t first, index_t count, std::string name) {
    return part_of_bytes(whole, first, count, sizeof(T), std::move(name));
  }
  /// Returns true if two slots outside the arena have one type, and `next` follows `before` with nothing but padding
  /// between them.
  [[nodiscard]] bool adjacent(slot before, slot next) const;
  /// Returns all values from the first of a slot to the last of a later one of its region, padding included, as a
  /// separate slot.
  [[nodiscard]] slot joined(slot first, slot last, std::string name);

  [[nodiscard]] std::size_t bytes(slot s) const { return plan_[s].bytes; }
  [[nodiscard]] element type(slot s) const { return plan_[s].type; }

  /// Appends a call whose arguments are make(addresses). Its reads and writes follow from operands(arguments), its
  /// receipt is receipt(arguments) if the op has one. Arguments over `stored` elements take the type of the slots: the
  /// bytes of the receipt are then the bytes of the operands.
  /// Throws: any exception of check(arguments); shape_error if an operand extends beyond its slot; value_error if it is
  /// of another type.
  template <class Make>
  void add_call(const call_info& info, const Make& make) {
    using args = std::invoke_result_t<const Make&, const addresses&>;
    constexpr bool listed = lists_operands<args>, plain = std::is_trivially_copyable_v<args>;
    constexpr bool captures_plain_data = std::is_trivially_copyable_v<Make>;
    constexpr bool named = requires { std::string_view(args::name); };
    static_assert(named, "a planned op has a name: static constexpr std::string_view name in its arguments");
    static_assert(listed, "a planned op lists its operands: operands(const its_args&) next to its arguments");
    static_assert(plain, "the arguments of a planned op are plain data: they must be trivially copyable");
    static_assert(captures_plain_data, "make() of a planned op captures only slots and numbers, by value");
    if constexpr (named && listed && plain && captures_plain_data)
      append(info, planned_op_of<args>(), argument_maker_of<args>(make));
  }
  /// For a call outside the step, which runs after parameters have been changed from outside.
  template <class Make>
  void add_parameter_call(const call_info& info, const Make& make) {
    add_call(info, make);
    plan_.parameter_calls.push_back(std::move(plan_.calls.back()));
    plan_.calls.pop_back();
  }
  [[nodiscard]] std::size_t call_count() const noexcept { return plan_.calls.size(); }
  /// Removes the calls from number `first` on that write only some of these unread slots.
  void drop_calls(std::size_t first, std::span<const slot> unread);
  /// Keeps the contents of a slot to the end of the step.
  void keep(slot s) { plan_.kept.push_back(s); }

  /// Lays out the arena and returns the plan.
  /// Throws: value_error if a call reads an arena slot before any call has written it.
  [[nodiscard]] plan finish();

 private:
  [[nodiscard]] slot reserve_bytes(memory_region where, element type, index_t bytes, std::string name);
  [[nodiscard]] slot part_of_bytes(slot whole, index_t first, index_t count, std::size_t each, std::string name);
  [[nodiscard]] slot append(planned_slot added);

  void append(const call_info& info, const planned_op& op, argument_maker make);

  /// First write and last use of every slot, as calls.
  [[nodiscard]] std::vector<interval> liveness() const;

  /// Lets the result of call c take the memory of the slot it may overwrite, if this call is the last to use that slot.
  void share(int c, const std::vector<interval>& lives, std::vector<interval>& merged, std::vector<int>& owner) const;
  /// Returns the end of a possible chain that begins with call `first`.
  [[nodiscard]] std::size_t end_of_chain(std::size_t first) const;
  /// Extends the lifetimes of all inputs of a possible chain across conversions to its end: elements of another size,
  /// written in place, would overwrite elements still to be read.
  void outlive_conversions(std::vector<interval>& merged, const std::vector<int>& owner) const;

  plan plan_;
  placeholder_addresses placeholders_;                   // for arguments before there is memory
  std::vector<std::max_align_t> placeholder_arguments_;  // of the call being appended
};

/// Memory that is in use from call `first` to call `last`, both included.
struct interval {
  int first = 0, last = 0;
  std::size_t bytes = 0;
  [[nodiscard]] constexpr bool overlaps(const interval& other) const noexcept {
    return first <= other.last && other.first <= last;
  }
};

/// Offset of each interval in one arena, and the size of the arena.
struct arrangement {
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;
};

/// Returns offsets such that intervals with overlapping lifetimes never share a byte; every offset is a multiple of 64.
/// Takes O(n log n) for n intervals.
///
/// Places the largest interval first, each at the bottom of a free box that is high enough, or else on top. The rest of
/// the box stays free: before and after the interval at its height, and above it for the lifetime of the box. On every
/// network of models/ the arena equals the largest sum of live bytes; on random intervals it is up to 15 % larger.
/// (Optimal packing is NP-hard.)
[[nodiscard]] arrangement arrange(std::span<const interval> lives);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The time of a call: in every step, or after parameters have changed from outside.
enum class when { every_step, parameters_change };

/// Emits the op that converts the numbers of one slot to another; one of the two holds float, the other a shorter type.
/// With a step_state they are gradients: see convert_args.
void emit_conversion(plan_builder& builder, slot from, slot to, call_info info, when run = when::every_step,
                     slot scale_state = {});

/// Returns the numbers of a slot in a type: the same slot if it has that type or holds no numbers, else new memory.
[[nodiscard]] slot converted(plan_builder& builder, slot from, element type, const call_info& info,
                             slot scale_state = {});

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/plan_builder-inl.hpp>
#endif

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <type_traits>

#include <ridgepoint/graph/plan.hpp>
#include <ridgepoint/graph/planned_op.hpp>
#include <ridgepoint/graph/stand_ins.hpp>
#include <ridgepoint/ops/check_operands.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

struct interval;

/// Collects slots and calls, then lays the slots out.
class plan_builder {
 public:
  /// A slot of `count` values. Slots outside the arena follow one another in order of reservation.
  /// Throws: shape_error if its size or the region's does not fit.
  [[nodiscard]] slot reserve(memory_region where, element type, index_t count, std::string name) {
    return reserve_bytes(where, type, checked_mul(count, static_cast<index_t>(bytes_of(type))), std::move(name));
  }
  /// The same of values that no element type describes: the scalars of a step.
  template <class T>
  [[nodiscard]] slot reserve(memory_region where, index_t count, const std::string& name) {
    return reserve_bytes(where, element_of<T>, checked_mul(count, static_cast<index_t>(sizeof(T))), name);
  }
  /// The `count` values from `first` on of a slot outside the arena, as a slot of their own.
  [[nodiscard]] slot part(slot whole, index_t first, index_t count, std::string name);

  [[nodiscard]] std::size_t bytes(slot s) const { return plan_[s].bytes; }
  [[nodiscard]] element type(slot s) const { return plan_[s].type; }

  /// Appends a call whose arguments are make(addresses). What it reads and writes follows from operands(arguments), its
  /// receipt is receipt(arguments) where the op has one. Arguments over the elements `stored` are for those of the
  /// slots: the bytes of the receipt are then those of the operands.
  /// Throws: what check(arguments) throws; shape_error where an operand reaches beyond its slot; value_error where it
  /// is of another type.
  template <class Make>
  void add_call(const call_info& info, const Make& make) {
    using args = std::invoke_result_t<const Make&, const addresses&>;
    constexpr bool listed = lists_operands<args>, plain = std::is_trivially_copyable_v<args>;
    constexpr bool captures_plain_data = std::is_trivially_copyable_v<Make>;
    static_assert(listed, "a planned op lists its operands: operands(const its_args&) beside its arguments");
    static_assert(plain, "the arguments of a planned op are plain data: they must be trivially copyable");
    static_assert(captures_plain_data, "what makes a planned op's arguments captures slots and numbers, by value");
    if constexpr (listed && plain && captures_plain_data)
      append(info, planned_op_of<args>(), planned_arguments_of<args>(make));
  }
  /// The same for a call that is no part of a step: it is run where parameters have been changed from outside.
  template <class Make>
  void add_parameter_call(const call_info& info, const Make& make) {
    add_call(info, make);
    plan_.parameter_calls.push_back(std::move(plan_.calls.back()));
    plan_.calls.pop_back();
  }
  [[nodiscard]] std::size_t call_count() const noexcept { return plan_.calls.size(); }
  /// Takes back the calls from number `first` on that write nothing but some of these slots, which nothing reads.
  void drop_calls(std::size_t first, std::span<const slot> unread);
  /// The slot keeps its contents to the end of the step.
  void keep(slot s) { plan_.kept.push_back(s); }

  /// Lays out the arena and gives the plan away.
  /// Throws: value_error if a call reads an arena slot before any call has written it.
  [[nodiscard]] plan finish();

 private:
  [[nodiscard]] slot reserve_bytes(memory_region where, element type, index_t bytes, std::string name);
  [[nodiscard]] slot append(planned_slot added);

  void append(const call_info& info, const planned_op& op, planned_arguments arguments);

  /// First write and last use of every slot, as calls.
  [[nodiscard]] std::vector<interval> liveness() const;

  /// Lets the result of call c take the memory of the slot it may overwrite, if that one dies in this call.
  void share(int c, const std::vector<interval>& lives, std::vector<interval>& merged, std::vector<int>& owner) const;
  /// Calls first … end - 1 may be a chain: the end.
  [[nodiscard]] std::size_t end_of_chain(std::size_t first) const;
  /// Lets what may be a chain across conversions keep all that it reads until its end: elements of another size,
  /// written in their place, would lie on those that are still to be read.
  void outlive_conversions(std::vector<interval>& merged, const std::vector<int>& owner) const;

  plan plan_;
  stand_ins stand_ins_;                               // arguments can be made before there is memory
  std::vector<std::max_align_t> stand_in_arguments_;  // of the call that is appended
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/plan_builder-inl.hpp>
#endif

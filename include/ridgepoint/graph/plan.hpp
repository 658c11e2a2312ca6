// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/element.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/ops/op_record.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/roofline/work.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Handle of backend memory that a plan reserves; negative if it does not exist. The plan knows its size and the type
/// of its values; it has no address before the plan is bound to a backend.
struct slot {
  int index = -1;
  [[nodiscard]] constexpr bool exists() const noexcept { return index >= 0; }
  friend constexpr bool operator==(slot, slot) = default;
};

/// Address of a slot, convertible to the pointer type of an op's arguments; the plan checks that it matches the slot.
class address {
 public:
  constexpr explicit address(void* at) noexcept : at_(at) {}
  template <class T>
  constexpr operator T*() const noexcept {
    return static_cast<T*>(at_);
  }

 private:
  void* at_;
};

/// Addresses of the slots of a bound plan, in backend memory, for the construction of arguments.
class addresses {
 public:
  /// Adds the address of the next slot.
  void add(void* at) { at_.push_back(at); }
  /// Null for a slot that does not exist.
  [[nodiscard]] address operator()(slot s) const noexcept {
    return address(s.exists() ? at_[static_cast<std::size_t>(s.index)] : nullptr);
  }

 private:
  std::vector<void*> at_;
};

/// The op of a call before the types of its slots are known: add_args<stored> becomes add_args<float> over slots of
/// floats. Its functions read the arguments as constructed, over `stored`.
struct planned_op {
  op_id (*over)(element) = nullptr;                     // for slots of this type; for element::stored: over `stored`
  work (*checked_receipt)(const void* args) = nullptr;  // throws as their check
  std::vector<operand> (*operands)(const void* args) = nullptr;
};

/// Constructs the arguments of a planned call: a function object of plain data.
struct argument_maker {
  std::shared_ptr<const void> function = nullptr;
  std::size_t args_bytes = 0;
  void (*construct)(const void* function, const addresses& at, void* args) = nullptr;

  /// Constructs arguments over slots at these addresses.
  void operator()(const addresses& at, void* args) const { construct(function.get(), at, args); }
};

namespace detail {

/// Allocates memory, aligned for any type.
[[nodiscard]] std::shared_ptr<void> memory_of(std::size_t bytes);

/// The op of arguments that do not depend on the type of the slots.
template <class Args>
[[nodiscard]] op_id op_over(std::type_identity<Args>, element) noexcept {
  return op_id_of<Args>;
}
template <template <class> class Args>
[[nodiscard]] op_id op_over(std::type_identity<Args<stored>>, element held) noexcept {
  static_assert(sizeof(Args<float>) == sizeof(Args<stored>) && sizeof(Args<double>) == sizeof(Args<stored>) &&
                    sizeof(Args<bfloat16>) == sizeof(Args<stored>) && sizeof(Args<float16>) == sizeof(Args<stored>),
                "a planned op's arguments have the same layout for all elements: a number among them is a double");
  constexpr op_id ops[] = {op_id_of<Args<float>>, op_id_of<Args<double>>, op_id_of<Args<bfloat16>>,
                           op_id_of<Args<float16>>};
  return is_number(held) ? ops[static_cast<std::size_t>(held)] : op_id_of<Args<stored>>;
}

template <class Args>
[[nodiscard]] work checked_receipt(const void* from) {
  const Args& args = *static_cast<const Args*>(from);
  if constexpr (requires { check(args); }) check(args);
  else check_operands(args);
  if constexpr (requires { receipt(args); }) return receipt(args);
  else return {};
}
template <class Args>
[[nodiscard]] std::vector<operand> listed_operands(const void* args) {
  const auto list = operands(*static_cast<const Args*>(args));
  return {list.begin(), list.end()};
}
template <class Args, class Make>
void construct_arguments(const void* function, const addresses& at, void* args) {
  ::new (args) Args((*static_cast<const Make*>(function))(at));
}

}  // namespace detail

template <class Args>
[[nodiscard]] planned_op planned_op_of() {
  return {[](element held) { return detail::op_over(std::type_identity<Args>{}, held); }, detail::checked_receipt<Args>,
          detail::listed_operands<Args>};
}
template <class Args, class Make>
[[nodiscard]] argument_maker argument_maker_of(const Make& make) {
  std::shared_ptr<void> copy = detail::memory_of(sizeof make);
  std::memcpy(copy.get(), &make, sizeof make);
  return {std::move(copy), sizeof(Args), detail::construct_arguments<Args, Make>};
}

/// The purpose of a slot, which determines its lifetime and sharing.
enum class memory_region {
  batch,       // input, targets and the step's scalars
  parameters,  // shared by every plan of one network
  gradients,   // laid out like the parameters; or lists of rows
  moments,     // state of the optimiser
  arena        // activations and workspace, reused when dead
};
inline constexpr std::size_t region_count = 5;
[[nodiscard]] constexpr std::string_view to_string(memory_region where) noexcept {
  constexpr std::string_view names[] = {"batch", "parameters", "gradients", "moments", "arena"};
  static_assert(std::size(names) == region_count);
  return names[static_cast<std::size_t>(where)];
}

/// Memory of a plan, known before allocation, and additional memory of a program's calls. Prints as "13.4 MB: batch 403
/// kB, parameters 4.78 MB, arena 2.10 MB".
struct plan_memory {
  std::array<std::size_t, region_count> region_bytes{};
  std::size_t saved_bytes = 0;  // of the arena: what forward passes save for the calls that train
  std::size_t workspace_bytes = 0, constant_bytes = 0;  // of a program: shared by its calls; packed weights
  std::size_t ahead_bytes = 0;                          // of a trainer: batches prepared or staged; resident samples

  [[nodiscard]] std::size_t bytes(memory_region r) const noexcept { return region_bytes[static_cast<std::size_t>(r)]; }
  /// Total bytes.
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = workspace_bytes + constant_bytes + ahead_bytes;
    for (const std::size_t each : region_bytes) sum += each;
    return sum;
  }
  /// Lower bound for any order of the calls: parameters, gradients, moments, and saved activations.
  [[nodiscard]] std::size_t kept_bytes() const noexcept {
    return bytes(memory_region::parameters) + bytes(memory_region::gradients) + bytes(memory_region::moments) +
           saved_bytes;
  }

  friend bool operator==(const plan_memory&, const plan_memory&) = default;
};

[[nodiscard]] std::string to_string(const plan_memory& m);

/// A slot of the plan: `bytes` at `offset` of its region.
struct planned_slot {
  std::string name;
  element type = element::other;  // of its values
  memory_region where = memory_region::arena;
  std::size_t bytes = 0;
  std::size_t offset = 0;
};

/// Description of a call, for reports and for the planner.
struct call_info {
  std::string layer = {};  // empty: the layer being lowered
  ridgepoint::pass pass = ridgepoint::pass::forward;
  std::string shape = {};
  work receipt = {};
};

/// One op of a step; its arguments are constructed once the addresses are known.
struct planned_call {
  call_info info;
  planned_op planned = {};
  argument_maker make = {};
  op_id op = nullptr;  // over the types of its slots; a shared library with hidden visibility has ids of its own
  std::vector<slot> reads = {}, writes = {};
  slot overwrites = {}, result = {};  // a slot read, and the slot written that may reuse its memory

  /// Returns the arguments of `op` over slots at these addresses.
  [[nodiscard]] std::shared_ptr<const void> arguments(const addresses& at) const;
  /// Returns the operands over slots at these addresses.
  [[nodiscard]] std::vector<operand> operands(const addresses& at) const;
  /// Returns the arguments after a check of the operands.
  /// Throws: shape_error if an operand has no memory or overlaps one that it must not touch.
  [[nodiscard]] std::shared_ptr<const void> bind(const addresses& at) const;

 private:
  [[nodiscard]] std::shared_ptr<const void> made_at(const addresses& at) const;  // over `stored`
  [[nodiscard]] std::shared_ptr<const void> typed(const void* args) const;
  [[nodiscard]] std::vector<operand> operands_of(const void* args) const;
};

/// A step as a list of calls over slots with fixed offsets: a compiled graph without its backend.
struct plan {
  std::vector<planned_slot> planned_slots;
  std::vector<planned_call> calls;            // in order of execution
  std::vector<planned_call> parameter_calls;  // run after parameters change, except by these calls
  std::vector<slot> kept;                     // slots read after a step has ended
  std::array<std::size_t, region_count> region_bytes{};
  std::size_t arena_sum_bytes = 0;   // size of the arena without reuse
  bool constant_parameters = false;  // they change between steps only when the program is notified

  [[nodiscard]] std::size_t bytes(memory_region r) const noexcept { return region_bytes[static_cast<std::size_t>(r)]; }
  [[nodiscard]] const planned_slot& operator[](slot s) const {
    return planned_slots[static_cast<std::size_t>(s.index)];
  }
  /// Returns the number of calls up to the last loss; those after it train.
  [[nodiscard]] std::size_t forward_calls() const {
    std::size_t count = calls.size();
    while (count > 0 && calls[count - 1].info.pass != pass::forward) --count;
    return count;
  }

  /// Memory of the plan, known before it runs.
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
  /// Returns the bytes of the slots that a call accesses.
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
  /// Returns the bytes of the arena written before call c and read by it or after it.
  [[nodiscard]] std::size_t arena_bytes_across(std::size_t c) const;
};

/// Returns addresses for a plan that has no memory: every slot at its offset in a region of its own, so that operands
/// overlap as they will in memory. They are never dereferenced.
[[nodiscard]] addresses addresses_in_regions(const plan& steps);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/plan-inl.hpp>
#endif

// SPDX-License-Identifier: MIT
#pragma once

#if !defined(__cpp_rtti)
#error "ridgepoint's graphs know ops by their type, which is off here: compile without -fno-rtti"
#include <ridgepoint_needs_rtti>
#endif

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
#include <typeindex>
#include <utility>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/element.hpp>
#include <ridgepoint/core/types.hpp>
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

namespace detail {
/// Returns "ridgepoint::dense_args<float>".
template <class Args>
[[nodiscard]] consteval std::string_view args_name() noexcept {
  std::string_view text = __PRETTY_FUNCTION__;  // … [with Args = a::b_args<float>; …] or … [Args = …]
  text.remove_prefix(text.find("Args = ") + 7);
  return text.substr(0, text.find_first_of(";]"));
}
}  // namespace detail

/// Returns the op of an argument type: "dense" for dense_args<float>.
template <class Args>
[[nodiscard]] consteval std::string_view op_stem() noexcept {
  std::string_view name = detail::args_name<Args>();
  name = name.substr(0, name.find('<'));
  if (const std::size_t scope = name.rfind("::"); scope != std::string_view::npos) name.remove_prefix(scope + 2);
  if (name.ends_with("_args")) name.remove_suffix(5);
  return name;
}
/// Returns the op with its element type, as in messages: "dense<float>".
template <class Args>
[[nodiscard]] std::string op_name() {
  constexpr std::string_view name = detail::args_name<Args>();
  constexpr std::size_t parameters = name.find('<');
  return concat(op_stem<Args>(), parameters == std::string_view::npos ? "" : name.substr(parameters));
}

/// The op of a call, chosen by the type of its slots: add_args<stored> is add_args<float> over slots of floats.
struct planned_op {
  std::string_view stem = {};                           // "add"
  std::string (*name)(element) = nullptr;               // "add<float>"
  std::type_index (*type)(element) = nullptr;           // of the arguments
  std::size_t bytes = 0;                                // size of the arguments
  work (*checked_receipt)(const void* args) = nullptr;  // throws as their check
  std::vector<operand> (*operands)(const void* args) = nullptr;
};

namespace detail {

/// Allocates memory, aligned for any type.
[[nodiscard]] std::shared_ptr<void> memory_of(std::size_t bytes);

}  // namespace detail

/// Constructs the arguments of a planned call: a function object of plain data.
struct planned_arguments {
  std::shared_ptr<const void> make = nullptr;
  void (*make_at)(const void* make, const addresses& at, void* args) = nullptr;

  /// Constructs `bytes` bytes of arguments over slots at these addresses.
  [[nodiscard]] std::shared_ptr<void> at(const addresses& places, std::size_t bytes) const {
    std::shared_ptr<void> args = detail::memory_of(bytes);
    make_at(make.get(), places, args.get());
    return args;
  }
};

namespace detail {

/// The op of arguments that do not depend on the type of the slots.
template <class Args>
struct op_of {
  static std::string name(element) { return op_name<Args>(); }
  static std::type_index type(element) { return typeid(Args); }
};
template <template <class> class Args>
struct op_of<Args<stored>> {
  static_assert(sizeof(Args<float>) == sizeof(Args<stored>) && sizeof(Args<double>) == sizeof(Args<stored>) &&
                    sizeof(Args<bfloat16>) == sizeof(Args<stored>) && sizeof(Args<float16>) == sizeof(Args<stored>),
                "a planned op's arguments have the same layout for all elements: a number among them is a double");

  static std::string name(element held) {
    const auto of = held == element::f32    ? "<float>"
                    : held == element::f64  ? "<double>"
                    : held == element::bf16 ? "<bfloat16>"
                                            : "<float16>";
    return concat(op_stem<Args<stored>>(), of);
  }
  static std::type_index type(element held) {
    if (held == element::bf16) return typeid(Args<bfloat16>);
    if (held == element::f16) return typeid(Args<float16>);
    return held == element::f32 ? typeid(Args<float>) : typeid(Args<double>);
  }
};

template <class Args>
[[nodiscard]] work checked_receipt(const void* from) {
  const Args& args = *static_cast<const Args*>(from);
  if constexpr (requires { check(args); }) check(args);
  else check_operands(op_stem<Args>(), args);
  if constexpr (requires { receipt(args); }) return receipt(args);
  else return {};
}
template <class Args>
[[nodiscard]] std::vector<operand> listed_operands(const void* args) {
  const auto list = operands(*static_cast<const Args*>(args));
  return {list.begin(), list.end()};
}
template <class Args, class Make>
void make_at(const void* make, const addresses& at, void* args) {
  ::new (args) Args((*static_cast<const Make*>(make))(at));
}

}  // namespace detail

template <class Args>
[[nodiscard]] planned_op planned_op_of() {
  using op = detail::op_of<Args>;
  return {
      op_stem<Args>(), op::name, op::type, sizeof(Args), detail::checked_receipt<Args>, detail::listed_operands<Args>};
}
template <class Args, class Make>
[[nodiscard]] planned_arguments planned_arguments_of(const Make& make) {
  std::shared_ptr<void> copy = detail::memory_of(sizeof make);
  std::memcpy(copy.get(), &make, sizeof make);
  return {std::move(copy), detail::make_at<Args, Make>};
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
  planned_op what = {};
  planned_arguments arguments = {};
  element held = element::other;        // type of the elements that it works on
  std::string op = {};                  // "dense<float>"
  std::type_index type = typeid(void);  // of the arguments
  std::vector<slot> reads = {}, writes = {};
  slot overwrites = {}, result = {};  // a slot read, and the slot written that may reuse its memory

  /// Returns the arguments over slots at these addresses.
  /// Throws: shape_error if an operand has no memory or overlaps one that it must not touch.
  [[nodiscard]] std::shared_ptr<const void> bind(const addresses& at) const;
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/plan-inl.hpp>
#endif

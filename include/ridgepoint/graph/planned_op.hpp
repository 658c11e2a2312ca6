// SPDX-License-Identifier: MIT
#pragma once

#if !defined(__cpp_rtti)
#error "ridgepoint's graphs know ops by their type, which is off here: compile without -fno-rtti"
#include <ridgepoint_needs_rtti>
#endif

#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/element.hpp>
#include <ridgepoint/graph/slot.hpp>
#include <ridgepoint/graph/type_name.hpp>
#include <ridgepoint/ops/check_operands.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The op of a call, once the plan knows what its slots hold: add_args<stored> is add_args<float> over slots of floats.
struct planned_op {
  std::string_view stem = {};                           // "add"
  std::string (*name)(element) = nullptr;               // "add<float>"
  std::type_index (*type)(element) = nullptr;           // of the arguments
  std::size_t bytes = 0;                                // of them
  work (*checked_receipt)(const void* args) = nullptr;  // throws what their check throws
  std::vector<operand> (*operands)(const void* args) = nullptr;
};

namespace detail {

/// Memory of so many bytes, aligned for any type.
[[nodiscard]] std::shared_ptr<void> memory_of(std::size_t bytes);

}  // namespace detail

/// What makes the arguments of a planned call: a function object of plain data.
struct planned_arguments {
  std::shared_ptr<const void> make = nullptr;
  void (*make_at)(const void* make, const addresses& at, void* args) = nullptr;

  /// Arguments of so many bytes over slots at these addresses.
  [[nodiscard]] std::shared_ptr<void> at(const addresses& places, std::size_t bytes) const {
    std::shared_ptr<void> args = detail::memory_of(bytes);
    make_at(make.get(), places, args.get());
    return args;
  }
};

namespace detail {

/// The op of arguments that are the same whatever the slots hold.
template <class Args>
struct op_of {
  static std::string name(element) { return op_name<Args>(); }
  static std::type_index type(element) { return typeid(Args); }
};
template <template <class> class Args>
struct op_of<Args<stored>> {
  static_assert(sizeof(Args<float>) == sizeof(Args<stored>) && sizeof(Args<double>) == sizeof(Args<stored>) &&
                    sizeof(Args<bfloat16>) == sizeof(Args<stored>) && sizeof(Args<float16>) == sizeof(Args<stored>),
                "a planned op's arguments are laid out alike for all elements: a number among them is a double");

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/planned_op-inl.hpp>
#endif

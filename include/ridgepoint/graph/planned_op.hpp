// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <typeindex>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/element.hpp>
#include <ridgepoint/graph/type_name.hpp>
#include <ridgepoint/ops/check_operands.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The op of a call, once the plan knows what its slots hold: add_args<stored> is add_args<float> over slots of floats.
struct planned_op {
  std::string_view stem;                       // "add"
  std::string (*name)(element);                // "add<float>"
  std::type_index (*type)(element) = nullptr;  // of the arguments
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
                    sizeof(Args<bfloat16>) == sizeof(Args<stored>),
                "a planned op's arguments are laid out alike for all elements: a number among them is a double");

  static std::string name(element held) {
    const auto suffix = held == element::f32 ? "<float>" : held == element::f64 ? "<double>" : "<bfloat16>";
    return concat(op_stem<Args<stored>>(), suffix);
  }
  static std::type_index type(element held) {
    if (held == element::bf16) return typeid(Args<bfloat16>);
    return held == element::f32 ? typeid(Args<float>) : typeid(Args<double>);
  }
};

/// The bytes of arguments in memory of their own. Arguments over `stored` are laid out as those over any element: the
/// copy is an object of each of these types.
[[nodiscard]] std::shared_ptr<const void> copy_of(const void* args, std::size_t bytes);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION std::shared_ptr<const void> copy_of(const void* args, std::size_t bytes) {
  std::shared_ptr<void> copy(::operator new(bytes), [](void* at) { ::operator delete(at); });
  std::memcpy(copy.get(), args, bytes);
  return copy;
}
#endif
/// Checks operands where they lie in the end.
void check_bound(std::string_view op, std::span<operand> operands, element held);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION void check_bound(std::string_view op, std::span<operand> operands, element held) {
  for (operand& o : operands) o = o.stored_as(held);
  check_operands(op, operands);
}
#endif

}  // namespace detail

template <class Args>
[[nodiscard]] planned_op planned_op_of() {
  return {op_stem<Args>(), detail::op_of<Args>::name, detail::op_of<Args>::type};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

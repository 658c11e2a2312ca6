// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i) ← a(i) + b(i).
template <scalar T>
struct add_args {
  static constexpr std::string_view name = "add";
  index_t size = 0;
  const T* a = nullptr;
  const T* b = nullptr;
  T* y = nullptr;  // may be a or b
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const add_args<T>& a) noexcept {
  return std::array{operand::input("a", a.a, a.size).overwritable(), operand::input("b", a.b, a.size).overwritable(),
                    operand::output("y", a.y, a.size)};
}

/// Receipt of add(): size FLOP, reads 2·size, writes size elements.
template <scalar T>
[[nodiscard]] constexpr work receipt(const add_args<T>& a) noexcept {
  return {.flop = static_cast<std::uint64_t>(a.size), .bytes = traffic_of(operands(a))};
}

/// Throws: as add().
template <scalar T>
void check(const add_args<T>& a) {
  check_operands(a);
}

/// y ← a + b, element by element: joins a residual branch, or its gradients. y may be a or b.
/// Next: reference/elementwise.hpp is the definition, cpu/elementwise.hpp the fast one.
/// Work: receipt(add_args).
/// Throws: shape_error if the sizes differ, a pointer is null or y overlaps an input in part.
/// Example:
///   rp::add(on, x, branch, y);
template <class T = deduced, class Backend, class C = std::span<T>, class E = vector_element<C, T>>
work add(const Backend& on, const vector_in<E>& a, const vector_in<E>& b, C&& y = {}) {
  static_assert(runs<Backend, add_args<E>, E>,
                "add: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>, "add: y must be a mutable vector of float or double: a tensor or a range");
  const std::span<E> out = vector_output<E>(y);
  require<shape_error>(a.size() == out.size() && b.size() == out.size(), "add: a has ", a.size(), " elements, b has ",
                       b.size(), ", y has ", out.size(), "; must be equal");
  return detail::run_checked<E>(
      on, add_args<E>{.size = static_cast<index_t>(out.size()), .a = a.data(), .b = b.data(), .y = out.data()});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

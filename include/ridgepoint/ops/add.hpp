// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <ridgepoint/ops/check_operands.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i) ← a(i) + b(i).
template <scalar T>
struct add_args {
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

template <scalar T>
[[nodiscard]] constexpr work receipt(const add_args<T>& a) noexcept {
  return {.flop = static_cast<std::uint64_t>(a.size), .bytes = traffic_of(operands(a))};
}
/// Receipt of add(): size FLOP, reads 2·size, writes size elements.
template <scalar T>
[[nodiscard]] constexpr work add_work(index_t size) noexcept {
  return receipt(add_args<T>{.size = size});
}

/// Throws: where add() does.
template <scalar T>
void check(const add_args<T>& a) {
  check_operands("add", operands(a));
}

/// y ← a + b, element by element: the joint of a residual branch, and its gradient's. y may be a or b.
/// Next: reference/add.hpp is the definition, cpu/add.hpp the fast one.
/// Work: add_work(size).
/// Throws: shape_error if the sizes differ, a pointer is null or y overlaps an input in part.
/// Example:
///   rp::add(on, x.values(), branch.values(), y.values());
template <scalar T, backend Backend>
  requires(executes<Backend, add_args<T>>)
work add(const Backend& on, std::type_identity_t<std::span<const T>> a, std::type_identity_t<std::span<const T>> b,
         std::span<T> y) {
  require<shape_error>(a.size() == y.size() && b.size() == y.size(), "add: a has ", a.size(), " elements, b has ",
                       b.size(), ", y has ", y.size(), "; must be equal");
  return run(on, add_args<T>{.size = static_cast<index_t>(y.size()), .a = a.data(), .b = b.data(), .y = y.data()});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

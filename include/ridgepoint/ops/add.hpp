// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <ridgepoint/ops/operands.hpp>
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

/// Receipt of add(): size FLOP, reads 2·size, writes size elements.
template <scalar T>
[[nodiscard]] constexpr work add_work(index_t size) noexcept {
  return {.flop = static_cast<std::uint64_t>(size),
          .bytes = {.inputs = 2 * detail::bytes_of<T>(size), .outputs = detail::bytes_of<T>(size)}};
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const add_args<T>& a) noexcept {
  return add_work<T>(a.size);
}

/// Throws: where add() does.
template <scalar T>
void check(const add_args<T>& a) {
  detail::check_vector("add", "a", a.a, a.size);
  detail::check_vector("add", "b", a.b, a.size);
  detail::check_vector("add", "y", a.y, a.size);
  detail::check_same_or_apart<T>("add", "y", a.y, "a", a.a, a.size);
  detail::check_same_or_apart<T>("add", "y", a.y, "b", a.b, a.size);
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

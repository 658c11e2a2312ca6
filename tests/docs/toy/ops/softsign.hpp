// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace toy {

namespace rp = ridgepoint;

/// y(i) ← x(i) / (1 + |x(i)|).
template <rp::scalar T>
struct softsign_args {
  static constexpr std::string_view name = "softsign";
  rp::index_t size = 0;
  const T* x = nullptr;
  T* y = nullptr;  // may be x
};

/// dx(i) ← (1 − |y(i)|)²·dy(i), from y = softsign(x).
template <rp::scalar T>
struct softsign_backward_args {
  static constexpr std::string_view name = "softsign_backward";
  rp::index_t size = 0;
  const T* y = nullptr;
  const T* dy = nullptr;
  T* dx = nullptr;  // may be dy
};

template <rp::scalar T>
[[nodiscard]] constexpr auto operands(const softsign_args<T>& a) noexcept {
  return std::array{rp::operand::input("x", a.x, a.size).overwritable(), rp::operand::output("y", a.y, a.size)};
}
template <rp::scalar T>
[[nodiscard]] constexpr auto operands(const softsign_backward_args<T>& a) noexcept {
  return std::array{rp::operand::input("y", a.y, a.size).overwritable(),
                    rp::operand::input("dy", a.dy, a.size).overwritable(), rp::operand::output("dx", a.dx, a.size)};
}

/// Receipt of softsign(): one addition and one division per element; every element read and written once.
template <rp::scalar T>
[[nodiscard]] constexpr rp::work receipt(const softsign_args<T>& a) noexcept {
  const auto n = static_cast<std::uint64_t>(a.size);
  return {.flop = n, .special = n, .bytes = rp::traffic_of(operands(a))};
}
/// Receipt of the backward pass: one subtraction, two multiplications; reads y and dy, writes dx.
template <rp::scalar T>
[[nodiscard]] constexpr rp::work receipt(const softsign_backward_args<T>& a) noexcept {
  return {.flop = 3 * static_cast<std::uint64_t>(a.size), .bytes = rp::traffic_of(operands(a))};
}

/// Throws: shape_error if a pointer is null or y overlaps x in part.
template <rp::scalar T>
void check(const softsign_args<T>& a) {
  rp::check_operands(a);
}
/// Throws: as check(softsign_args).
template <rp::scalar T>
void check(const softsign_backward_args<T>& a) {
  rp::check_operands(a);
}

/// y ← x / (1 + |x|), element by element; y may be x.
/// Work: size FLOP and size specials.
/// Throws: shape_error if the sizes differ, a pointer is null or y overlaps x in part.
template <class T = rp::deduced, class Backend, class Y = std::span<T>, class E = rp::vector_element<Y, T>>
rp::work softsign(const Backend& on, const rp::vector_in<E>& x, Y&& y = {}) {
  static_assert(rp::runs<Backend, softsign_args<E>, E>, "softsign: the first argument must be a backend that has it");
  static_assert(rp::has_output<Backend, E>, "softsign: y must be a mutable vector of float or double");
  const std::span<E> out = rp::vector_output<E>(y);
  rp::require<rp::shape_error>(x.size() == out.size(), "softsign: x has ", x.size(), " elements, y has ", out.size(),
                               "; must be equal");
  const auto size = static_cast<rp::index_t>(x.size());
  return rp::detail::run_checked<E>(on, softsign_args<E>{.size = size, .x = x.data(), .y = out.data()});
}

}  // namespace toy

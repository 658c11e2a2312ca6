// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i) ← f(x(i)).
template <scalar T>
struct activate_args {
  static constexpr std::string_view name = "activate";
  activation f = activation::none;
  double slope = 0.01;  // leaky_relu only, 0 ≤ slope < ∞
  index_t size = 0;
  const T* x = nullptr;
  T* y = nullptr;  // may be x
};

/// dx(i) ← f'(x(i))·dy(i), from y = f(x), or from x where derives_from_input(f).
template <scalar T>
struct activate_backward_args {
  static constexpr std::string_view name = "activate_backward";
  activation f = activation::none;
  double slope = 0.01;
  index_t size = 0;
  const T* y = nullptr;  // x where derives_from_input(f); not read if f is none
  const T* dy = nullptr;
  T* dx = nullptr;  // may be dy
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const activate_args<T>& a) noexcept {
  return std::array{operand::input("x", a.x, a.size).overwritable(), operand::output("y", a.y, a.size)};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const activate_backward_args<T>& a) noexcept {
  const index_t y_size = a.f == activation::none ? 0 : a.size;
  return std::array{operand::input("dy", a.dy, a.size).overwritable(), operand::input("y", a.y, y_size).overwritable(),
                    operand::output("dx", a.dx, a.size)};
}

/// Receipt of activate(): activation_arithmetic(); reads and writes size elements.
template <scalar T>
[[nodiscard]] constexpr work receipt(const activate_args<T>& a) noexcept {
  return activation_arithmetic(a.f, static_cast<std::uint64_t>(a.size)) + work{.bytes = traffic_of(operands(a))};
}
/// Receipt of activate_backward(): activation_backward_arithmetic(); reads y (unless f is none) and dy, writes dx.
template <scalar T>
[[nodiscard]] constexpr work receipt(const activate_backward_args<T>& a) noexcept {
  return activation_backward_arithmetic(a.f, static_cast<std::uint64_t>(a.size)) +
         work{.bytes = traffic_of(operands(a))};
}

/// Throws: as activate().
template <scalar T>
void check(const activate_args<T>& a) {
  check_activation("activate", a.f);
  detail::check_slope("activate", a.f, a.slope);
  check_operands(a);
}
/// Throws: as activate_backward().
template <scalar T>
void check(const activate_backward_args<T>& a) {
  check_activation("activate_backward", a.f);
  detail::check_slope("activate_backward", a.f, a.slope);
  check_operands(a);
}

/// y ← f(x), element by element; y may be x.
/// Next: reference/elementwise.hpp is the definition, cpu/elementwise.hpp the fast one.
/// Work: receipt(activate_args).
/// Throws: shape_error if the sizes differ, a pointer is null or y overlaps x in part; value_error for an unknown f
/// or a bad slope.
/// Example:
///   rp::activate(on, rp::activation::relu, x, y);
template <class T = deduced, class Backend, class C = std::span<T>, class E = vector_element<C, T>>
work activate(const Backend& on, activation f, const vector_in<E>& x, C&& y = {}, double slope = 0.01) {
  static_assert(runs<Backend, activate_args<E>, E>,
                "activate: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>, "activate: y must be a mutable vector of float or double: a tensor or a range");
  const std::span<E> out = vector_output<E>(y);
  require<shape_error>(x.size() == out.size(), "activate: x has ", x.size(), " elements, y has ", out.size(),
                       "; must be equal");
  return detail::run_checked<E>(
      on,
      activate_args<E>{.f = f, .slope = slope, .size = static_cast<index_t>(x.size()), .x = x.data(), .y = out.data()});
}

/// dx ← f'(x)·dy where y = f(x); for gelu, pass x itself. dx may be dy. At a kink, the derivative is the left one.
/// Work: receipt(activate_backward_args).
/// Throws: as activate().
template <class T = deduced, class Backend, class C = std::span<T>, class E = vector_element<C, T>>
work activate_backward(const Backend& on, activation f, const vector_in<E>& y, const vector_in<E>& dy, C&& dx = {},
                       double slope = 0.01) {
  static_assert(runs<Backend, activate_backward_args<E>, E>,
                "activate_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "activate_backward: dx must be a mutable vector of float or double: a tensor or a range");
  const std::span<E> out = vector_output<E>(dx);
  require<shape_error>(y.size() == out.size() && dy.size() == out.size(), "activate_backward: y has ", y.size(),
                       " elements, dy has ", dy.size(), ", dx has ", out.size(), "; must be equal");
  return detail::run_checked<E>(on, activate_backward_args<E>{.f = f,
                                                              .slope = slope,
                                                              .size = static_cast<index_t>(out.size()),
                                                              .y = y.data(),
                                                              .dy = dy.data(),
                                                              .dx = out.data()});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <span>

#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/operands.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i) ← f(x(i)).
template <scalar T>
struct activate_args {
  activation f = activation::none;
  T slope = T(0.01);  // leaky_relu only, 0 ≤ slope < ∞
  index_t size = 0;
  const T* x = nullptr;
  T* y = nullptr;  // may be x
};

/// dx(i) ← f'(x(i))·dy(i), from y = f(x).
template <scalar T>
struct activate_backward_args {
  activation f = activation::none;
  T slope = T(0.01);
  index_t size = 0;
  const T* y = nullptr;  // not read where f is none
  const T* dy = nullptr;
  T* dx = nullptr;  // may be dy
};

/// Receipt of activate(): activation_arithmetic(); reads and writes size elements.
template <scalar T>
[[nodiscard]] constexpr work activate_work(activation f, index_t size) noexcept {
  work receipt = activation_arithmetic(f, static_cast<std::uint64_t>(size));
  receipt.bytes = {.inputs = detail::bytes_of<T>(size), .outputs = detail::bytes_of<T>(size)};
  return receipt;
}
/// Receipt of activate_backward(): activation_backward_arithmetic(); reads y (unless f is none) and dy, writes dx.
template <scalar T>
[[nodiscard]] constexpr work activate_backward_work(activation f, index_t size) noexcept {
  work receipt = activation_backward_arithmetic(f, static_cast<std::uint64_t>(size));
  receipt.bytes = {.inputs = (f == activation::none ? 1 : 2) * detail::bytes_of<T>(size),
                   .outputs = detail::bytes_of<T>(size)};
  return receipt;
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const activate_args<T>& a) noexcept {
  return activate_work<T>(a.f, a.size);
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const activate_backward_args<T>& a) noexcept {
  return activate_backward_work<T>(a.f, a.size);
}

namespace detail {
template <scalar T>
void check_slope(std::string_view op, activation f, T slope) {
  const auto s = static_cast<double>(slope);
  require<value_error>(f != activation::leaky_relu || (std::isfinite(s) && s >= 0), op, ": slope is ", s,
                       "; must be finite and >= 0");
}
}  // namespace detail

/// Throws: where activate() does.
template <scalar T>
void check(const activate_args<T>& a) {
  check_activation("activate", a.f);
  detail::check_slope("activate", a.f, a.slope);
  detail::check_vector("activate", "x", a.x, a.size);
  detail::check_vector("activate", "y", a.y, a.size);
  detail::check_same_or_apart<T>("activate", "y", a.y, "x", a.x, a.size);
}
/// Throws: where activate_backward() does.
template <scalar T>
void check(const activate_backward_args<T>& a) {
  check_activation("activate_backward", a.f);
  detail::check_slope("activate_backward", a.f, a.slope);
  detail::check_vector("activate_backward", "dy", a.dy, a.size);
  detail::check_vector("activate_backward", "dx", a.dx, a.size);
  detail::check_same_or_apart<T>("activate_backward", "dx", a.dx, "dy", a.dy, a.size);
  if (a.f == activation::none) return;
  detail::check_vector("activate_backward", "y", a.y, a.size);
  detail::check_same_or_apart<T>("activate_backward", "dx", a.dx, "y", a.y, a.size);
}

/// y ← f(x), element by element; y may be x.
/// Next: reference/activate.hpp is the definition, cpu/activate.hpp the fast one.
/// Work: activate_work(f, size).
/// Throws: shape_error if the sizes differ, a pointer is null or y overlaps x in part; value_error for an unknown f
/// or a bad slope.
/// Example:
///   rp::activate(on, rp::activation::relu, x.values(), y.values());
template <scalar T, backend Backend>
  requires(executes<Backend, activate_args<T>>)
work activate(const Backend& on, activation f, std::type_identity_t<std::span<const T>> x, std::span<T> y,
              std::type_identity_t<T> slope = T(0.01)) {
  require<shape_error>(x.size() == y.size(), "activate: x has ", x.size(), " elements, y has ", y.size(),
                       "; must be equal");
  return run(on, activate_args<T>{
                     .f = f, .slope = slope, .size = static_cast<index_t>(x.size()), .x = x.data(), .y = y.data()});
}

/// dx ← f'(x)·dy where y = f(x); dx may be dy. At a kink the derivative is the one from the left.
/// Work: activate_backward_work(f, size).
/// Throws: as activate().
template <scalar T, backend Backend>
  requires(executes<Backend, activate_backward_args<T>>)
work activate_backward(const Backend& on, activation f, std::type_identity_t<std::span<const T>> y,
                       std::type_identity_t<std::span<const T>> dy, std::span<T> dx,
                       std::type_identity_t<T> slope = T(0.01)) {
  require<shape_error>(y.size() == dx.size() && dy.size() == dx.size(), "activate_backward: y has ", y.size(),
                       " elements, dy has ", dy.size(), ", dx has ", dx.size(), "; must be equal");
  return run(on, activate_backward_args<T>{.f = f,
                                           .slope = slope,
                                           .size = static_cast<index_t>(dx.size()),
                                           .y = y.data(),
                                           .dy = dy.data(),
                                           .dx = dx.data()});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

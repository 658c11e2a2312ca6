// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <ridgepoint/ops/operands.hpp>
#include <ridgepoint/ops/run.hpp>

namespace toy {

namespace rp = ridgepoint;

/// y(i) ← x(i) / (1 + |x(i)|).
template <rp::scalar T>
struct softsign_args {
  rp::index_t size = 0;
  const T* x = nullptr;
  T* y = nullptr;  // may be x
};

/// dx(i) ← (1 − |y(i)|)²·dy(i), from y = softsign(x).
template <rp::scalar T>
struct softsign_backward_args {
  rp::index_t size = 0;
  const T* y = nullptr;
  const T* dy = nullptr;
  T* dx = nullptr;  // may be dy
};

/// Receipt of softsign(): one addition and one division per element; every element read and written once.
template <rp::scalar T>
[[nodiscard]] constexpr rp::work softsign_work(rp::index_t size) noexcept {
  const auto n = static_cast<std::uint64_t>(size);
  return {.flop = n,
          .special = n,
          .bytes = {.inputs = rp::detail::bytes_of<T>(size), .outputs = rp::detail::bytes_of<T>(size)}};
}
/// Receipt of the backward pass: one subtraction, two multiplications; reads y and dy, writes dx.
template <rp::scalar T>
[[nodiscard]] constexpr rp::work softsign_backward_work(rp::index_t size) noexcept {
  return {.flop = 3 * static_cast<std::uint64_t>(size),
          .bytes = {.inputs = 2 * rp::detail::bytes_of<T>(size), .outputs = rp::detail::bytes_of<T>(size)}};
}
template <rp::scalar T>
[[nodiscard]] constexpr rp::work receipt(const softsign_args<T>& a) noexcept {
  return softsign_work<T>(a.size);
}
template <rp::scalar T>
[[nodiscard]] constexpr rp::work receipt(const softsign_backward_args<T>& a) noexcept {
  return softsign_backward_work<T>(a.size);
}

/// Throws: shape_error if a pointer is null or y overlaps x in part.
template <rp::scalar T>
void check(const softsign_args<T>& a) {
  rp::detail::check_vector("softsign", "x", a.x, a.size);
  rp::detail::check_vector("softsign", "y", a.y, a.size);
  rp::detail::check_same_or_apart<T>("softsign", "y", a.y, "x", a.x, a.size);
}
/// Throws: as check(softsign_args).
template <rp::scalar T>
void check(const softsign_backward_args<T>& a) {
  rp::detail::check_vector("softsign_backward", "y", a.y, a.size);
  rp::detail::check_vector("softsign_backward", "dy", a.dy, a.size);
  rp::detail::check_vector("softsign_backward", "dx", a.dx, a.size);
  rp::detail::check_same_or_apart<T>("softsign_backward", "dx", a.dx, "y", a.y, a.size);
  rp::detail::check_same_or_apart<T>("softsign_backward", "dx", a.dx, "dy", a.dy, a.size);
}

/// y ← x / (1 + |x|), element by element; y may be x.
/// Work: softsign_work(size).
/// Throws: shape_error if the sizes differ, a pointer is null or y overlaps x in part.
template <rp::scalar T, rp::backend Backend>
  requires(rp::executes<Backend, softsign_args<T>>)
rp::work softsign(const Backend& on, std::type_identity_t<std::span<const T>> x, std::span<T> y) {
  rp::require<rp::shape_error>(x.size() == y.size(), "softsign: x has ", x.size(), " elements, y has ", y.size(),
                               "; must be equal");
  return rp::run(on, softsign_args<T>{.size = static_cast<rp::index_t>(x.size()), .x = x.data(), .y = y.data()});
}

}  // namespace toy

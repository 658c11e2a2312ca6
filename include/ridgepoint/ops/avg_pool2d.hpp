// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/operands.hpp>
#include <ridgepoint/ops/pool2d_geometry.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(n, oh, ow, c) ← mean of x over the part of the window that lies on the image.
template <scalar T>
struct avg_pool2d_args {
  pool2d_geometry geometry = {};
  const T* x = nullptr;  // (n, h, w, c)
  T* y = nullptr;        // (n, oh, ow, c)
};

/// dx(n, h, w, c) ← Σ dy / (pixels of the window on the image) over the windows that cover it.
template <scalar T>
struct avg_pool2d_backward_args {
  pool2d_geometry geometry = {};
  const T* dy = nullptr;  // (n, oh, ow, c)
  T* dx = nullptr;        // (n, h, w, c)
};

/// Receipt of avg_pool2d(): an addition per tap, padding included, and a multiplication per output; reads what the
/// windows cover, writes y.
template <scalar T>
[[nodiscard]] constexpr work avg_pool2d_work(const pool2d_geometry& g) noexcept {
  return {.flop = static_cast<std::uint64_t>(g.taps() + g.output_size()),
          .bytes = {.inputs = detail::bytes_of<T>(g.input_read()), .outputs = detail::bytes_of<T>(g.output_size())}};
}
/// Receipt of avg_pool2d_backward(): as much; reads dy, writes dx.
template <scalar T>
[[nodiscard]] constexpr work avg_pool2d_backward_work(const pool2d_geometry& g) noexcept {
  return {.flop = static_cast<std::uint64_t>(g.taps() + g.output_size()),
          .bytes = {.inputs = detail::bytes_of<T>(g.output_size()), .outputs = detail::bytes_of<T>(g.input_size())}};
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const avg_pool2d_args<T>& a) noexcept {
  return avg_pool2d_work<T>(a.geometry);
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const avg_pool2d_backward_args<T>& a) noexcept {
  return avg_pool2d_backward_work<T>(a.geometry);
}

/// Throws: where avg_pool2d() does.
template <scalar T>
void check(const avg_pool2d_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  check(g, "avg_pool2d");
  detail::check_operands<T>("avg_pool2d", {{"y", a.y, g.output_size()}}, {{"x", a.x, g.input_size()}});
}
/// Throws: where avg_pool2d_backward() does.
template <scalar T>
void check(const avg_pool2d_backward_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  check(g, "avg_pool2d_backward");
  detail::check_operands<T>("avg_pool2d_backward", {{"dx", a.dx, g.input_size()}}, {{"dy", a.dy, g.output_size()}});
}

/// y ← the mean of each window; pixels beside the image are no part of it. A window as large as the image is the global
/// average.
/// Next: reference/avg_pool2d.hpp is the definition, ops/pool2d_geometry.hpp the extents.
/// Work: avg_pool2d_work(geometry).
/// Throws: shape_error where the window does not fit, a size overflows, a pointer is null or y overlaps x; value_error
/// for a stride < 1 or a padding that is negative or as large as the window.
/// Example:
///   const rp::pool2d_geometry global{.n = 8, .h = 7, .w = 7, .c = 2048, .kh = 7, .kw = 7};
///   rp::avg_pool2d(on, global, x.data(), y.data());
template <scalar T, backend Backend>
  requires(executes<Backend, avg_pool2d_args<T>>)
work avg_pool2d(const Backend& on, const pool2d_geometry& g, std::type_identity_t<const T*> x, T* y) {
  return run(on, avg_pool2d_args<T>{.geometry = g, .x = x, .y = y});
}
/// dx ← the gradient of avg_pool2d() for x.
/// Work: avg_pool2d_backward_work(geometry). Throws: as avg_pool2d().
template <scalar T, backend Backend>
  requires(executes<Backend, avg_pool2d_backward_args<T>>)
work avg_pool2d_backward(const Backend& on, const pool2d_geometry& g, std::type_identity_t<const T*> dy, T* dx) {
  return run(on, avg_pool2d_backward_args<T>{.geometry = g, .dy = dy, .dx = dx});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

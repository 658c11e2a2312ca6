// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/ops/depthwise_geometry.hpp>
#include <ridgepoint/ops/operands.hpp>
#include <ridgepoint/ops/run.hpp>
#include <ridgepoint/ops/work_options.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(n, oh, ow, c·multiplier + m) ← Σ x(n, oh·stride − top + kh, ow·stride − left + kw, c)·w(kh, kw, c, m) + bias,
/// where x is zero on the padding.
template <scalar T>
struct depthwise_conv2d_args {
  depthwise_geometry geometry = {};
  const T* x = nullptr;     // (n, h, w, c)
  const T* w = nullptr;     // (kh, kw, c, multiplier)
  const T* bias = nullptr;  // f values; null: none
  T* y = nullptr;           // (n, oh, ow, f)
};

/// dx(n, h, w, c) ← Σ dy·w over the outputs and taps that read x(n, h, w, c).
template <scalar T>
struct depthwise_conv2d_backward_data_args {
  depthwise_geometry geometry = {};
  const T* dy = nullptr;  // (n, oh, ow, f)
  const T* w = nullptr;   // (kh, kw, c, multiplier)
  T* dx = nullptr;        // (n, h, w, c)
};

/// dw(kh, kw, c, m) ← Σ x·dy over samples and outputs, db ← Σ dy.
template <scalar T>
struct depthwise_conv2d_backward_weights_args {
  depthwise_geometry geometry = {};
  const T* x = nullptr;   // (n, h, w, c)
  const T* dy = nullptr;  // (n, oh, ow, f)
  T* dw = nullptr;        // (kh, kw, c, multiplier)
  T* db = nullptr;        // f values; null: not wanted
};

/// Receipt of depthwise_conv2d(): 2·macs() matrix FLOP (taps on padding included), one per output for a bias; reads
/// what the windows touch of x and the filter (+bias), writes y.
template <scalar T>
[[nodiscard]] constexpr work depthwise_conv2d_work(const depthwise_geometry& g, bias_work_options options) noexcept {
  return detail::convolution_work<T>(g, options.bias ? g.f() : 0);
}
/// Receipt of depthwise_conv2d_backward_data(): 2·macs() matrix FLOP; reads dy and the filter, writes dx.
template <scalar T>
[[nodiscard]] constexpr work depthwise_conv2d_backward_data_work(const depthwise_geometry& g) noexcept {
  return detail::convolution_backward_data_work<T>(g);
}
/// Receipt of depthwise_conv2d_backward_weights(): 2·macs() matrix FLOP, one per output for db; reads what the windows
/// touch of x, and dy (inputs), writes dw (+db).
template <scalar T>
[[nodiscard]] constexpr work depthwise_conv2d_backward_weights_work(const depthwise_geometry& g,
                                                                    bias_work_options options) noexcept {
  return detail::convolution_backward_weights_work<T>(g, options.bias ? g.f() : 0);
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const depthwise_conv2d_args<T>& a) noexcept {
  return depthwise_conv2d_work<T>(a.geometry, {.bias = a.bias != nullptr});
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const depthwise_conv2d_backward_data_args<T>& a) noexcept {
  return depthwise_conv2d_backward_data_work<T>(a.geometry);
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const depthwise_conv2d_backward_weights_args<T>& a) noexcept {
  return depthwise_conv2d_backward_weights_work<T>(a.geometry, {.bias = a.db != nullptr});
}

/// Throws: where depthwise_conv2d() does.
template <scalar T>
void check(const depthwise_conv2d_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  check(g, "depthwise_conv2d");
  detail::check_operands<T>(
      "depthwise_conv2d", {{"y", a.y, g.output_size()}},
      {{"x", a.x, g.input_size()}, {"w", a.w, g.filter_size()}, detail::optional_operand("bias", a.bias, g.f())});
}
/// Throws: where depthwise_conv2d_backward_data() does.
template <scalar T>
void check(const depthwise_conv2d_backward_data_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  check(g, "depthwise_conv2d_backward_data");
  detail::check_operands<T>("depthwise_conv2d_backward_data", {{"dx", a.dx, g.input_size()}},
                            {{"dy", a.dy, g.output_size()}, {"w", a.w, g.filter_size()}});
}
/// Throws: where depthwise_conv2d_backward_weights() does.
template <scalar T>
void check(const depthwise_conv2d_backward_weights_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  check(g, "depthwise_conv2d_backward_weights");
  detail::check_operands<T>("depthwise_conv2d_backward_weights",
                            {{"dw", a.dw, g.filter_size()}, detail::optional_operand<T>("db", a.db, g.f())},
                            {{"x", a.x, g.input_size()}, {"dy", a.dy, g.output_size()}});
}

/// y ← every channel of x convolved with its own filters: images (n, h, w, c), filter (kh, kw, c, multiplier),
/// y (n, oh, ow, c·multiplier), all dense. What lies on the padding is zero and is multiplied like anything else.
/// Next: reference/depthwise_conv2d.hpp is the definition, ops/depthwise_geometry.hpp the extents.
/// Work: depthwise_conv2d_work(geometry, {.bias = bias != nullptr}).
/// Throws: as conv2d().
/// Example:
///   const rp::depthwise_geometry g{.n = 8, .h = 112, .w = 112, .c = 32, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
///   rp::depthwise_conv2d(on, g, x.data(), w.data(), nullptr, y.data());
template <scalar T, backend Backend>
  requires(executes<Backend, depthwise_conv2d_args<T>>)
work depthwise_conv2d(const Backend& on, const depthwise_geometry& g, std::type_identity_t<const T*> x,
                      std::type_identity_t<const T*> w, std::type_identity_t<const T*> bias, T* y) {
  return run(on, depthwise_conv2d_args<T>{.geometry = g, .x = x, .w = w, .bias = bias, .y = y});
}
/// dx ← the gradient of depthwise_conv2d() for x.
/// Work: depthwise_conv2d_backward_data_work(geometry). Throws: as conv2d().
template <scalar T, backend Backend>
  requires(executes<Backend, depthwise_conv2d_backward_data_args<T>>)
work depthwise_conv2d_backward_data(const Backend& on, const depthwise_geometry& g, std::type_identity_t<const T*> dy,
                                    std::type_identity_t<const T*> w, T* dx) {
  return run(on, depthwise_conv2d_backward_data_args<T>{.geometry = g, .dy = dy, .w = w, .dx = dx});
}
/// dw and, unless db is null, db ← the gradients for filter and bias. An empty batch gives zeros.
/// Work: depthwise_conv2d_backward_weights_work(geometry, {.bias = db != nullptr}). Throws: as conv2d().
template <scalar T, backend Backend>
  requires(executes<Backend, depthwise_conv2d_backward_weights_args<T>>)
work depthwise_conv2d_backward_weights(const Backend& on, const depthwise_geometry& g, std::type_identity_t<const T*> x,
                                       std::type_identity_t<const T*> dy, T* dw, std::type_identity_t<T*> db) {
  return run(on, depthwise_conv2d_backward_weights_args<T>{.geometry = g, .x = x, .dy = dy, .dw = dw, .db = db});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/conv2d_geometry.hpp>
#include <ridgepoint/ops/operands.hpp>
#include <ridgepoint/ops/run.hpp>
#include <ridgepoint/ops/work_options.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(n, oh, ow, f) ← act(Σ x(n, oh·stride − top + kh, ow·stride − left + kw, c)·w(kh, kw, c, f) + bias(f)), where x is
/// zero on the padding.
template <scalar T>
struct conv2d_args {
  conv2d_geometry geometry = {};
  const T* x = nullptr;               // (n, h, w, c)
  const T* w = nullptr;               // (kh, kw, c, f)
  const T* bias = nullptr;            // f values; null: none
  T* y = nullptr;                     // (n, oh, ow, f)
  activation act = activation::none;  // a fusable one
};

/// dx(n, h, w, c) ← Σ dy(n, oh, ow, f)·w(kh, kw, c, f) over the outputs and taps that read x(n, h, w, c).
template <scalar T>
struct conv2d_backward_data_args {
  conv2d_geometry geometry = {};
  const T* dy = nullptr;  // (n, oh, ow, f)
  const T* w = nullptr;   // (kh, kw, c, f)
  T* dx = nullptr;        // (n, h, w, c)
};

/// dw(kh, kw, c, f) ← Σ x·dy over samples and outputs, db(f) ← Σ dy.
template <scalar T>
struct conv2d_backward_weights_args {
  conv2d_geometry geometry = {};
  const T* x = nullptr;   // (n, h, w, c)
  const T* dy = nullptr;  // (n, oh, ow, f)
  T* dw = nullptr;        // (kh, kw, c, f)
  T* db = nullptr;        // f values; null: not wanted
};

namespace detail {
/// What conv2d() and depthwise_conv2d() cost alike; `biases` is 0 where there is none.
template <scalar T>
[[nodiscard]] constexpr work convolution_work(const auto& g, index_t biases) noexcept {
  if (g.output_size() == 0) return {};
  const std::uint64_t products = 2 * static_cast<std::uint64_t>(g.macs());
  return {.flop = products + (biases > 0 ? static_cast<std::uint64_t>(g.output_size()) : 0),
          .matrix_flop = products,
          .bytes = {.inputs = bytes_of<T>(g.input_read()),
                    .weights = bytes_of<T>(g.filter_size() + biases),
                    .outputs = bytes_of<T>(g.output_size())}};
}
template <scalar T>
[[nodiscard]] constexpr work convolution_backward_data_work(const auto& g) noexcept {
  if (g.n == 0) return {};
  const std::uint64_t products = 2 * static_cast<std::uint64_t>(g.macs());
  return {.flop = products,
          .matrix_flop = products,
          .bytes = {.inputs = bytes_of<T>(g.output_size()),
                    .weights = bytes_of<T>(g.filter_size()),
                    .outputs = bytes_of<T>(g.input_size())}};
}
template <scalar T>
[[nodiscard]] constexpr work convolution_backward_weights_work(const auto& g, index_t biases) noexcept {
  const std::uint64_t products = 2 * static_cast<std::uint64_t>(g.macs());
  return {.flop = products + (biases > 0 ? static_cast<std::uint64_t>(g.output_size()) : 0),
          .matrix_flop = products,
          .bytes = {.inputs = bytes_of<T>(g.input_read() + g.output_size()),
                    .outputs = bytes_of<T>(g.filter_size() + biases)}};
}
}  // namespace detail

/// Receipt of conv2d(): 2·macs() matrix FLOP (taps on padding included), one per output for a bias, the activation's;
/// reads what the windows touch of x and the filter (+bias), writes y.
template <scalar T>
[[nodiscard]] constexpr work conv2d_work(const conv2d_geometry& g, fused_work_options options) noexcept {
  work receipt = detail::convolution_work<T>(g, options.bias ? g.f : 0);
  return receipt += activation_arithmetic(options.act, static_cast<std::uint64_t>(g.output_size()));
}
/// Receipt of conv2d_backward_data(): 2·macs() matrix FLOP; reads dy and the filter, writes dx.
template <scalar T>
[[nodiscard]] constexpr work conv2d_backward_data_work(const conv2d_geometry& g) noexcept {
  return detail::convolution_backward_data_work<T>(g);
}
/// Receipt of conv2d_backward_weights(): 2·macs() matrix FLOP, one per output for db; reads what the windows touch of
/// x, and dy (inputs), writes dw (+db).
template <scalar T>
[[nodiscard]] constexpr work conv2d_backward_weights_work(const conv2d_geometry& g,
                                                          bias_work_options options) noexcept {
  return detail::convolution_backward_weights_work<T>(g, options.bias ? g.f : 0);
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const conv2d_args<T>& a) noexcept {
  return conv2d_work<T>(a.geometry, {.bias = a.bias != nullptr, .act = a.act});
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const conv2d_backward_data_args<T>& a) noexcept {
  return conv2d_backward_data_work<T>(a.geometry);
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const conv2d_backward_weights_args<T>& a) noexcept {
  return conv2d_backward_weights_work<T>(a.geometry, {.bias = a.db != nullptr});
}

/// Throws: where conv2d() does.
template <scalar T>
void check(const conv2d_args<T>& a) {
  const conv2d_geometry& g = a.geometry;
  check(g, "conv2d");
  check_fusable("conv2d", a.act);
  detail::check_operands<T>(
      "conv2d", {{"y", a.y, g.output_size()}},
      {{"x", a.x, g.input_size()}, {"w", a.w, g.filter_size()}, detail::optional_operand("bias", a.bias, g.f)});
}
/// Throws: where conv2d_backward_data() does.
template <scalar T>
void check(const conv2d_backward_data_args<T>& a) {
  const conv2d_geometry& g = a.geometry;
  check(g, "conv2d_backward_data");
  detail::check_operands<T>("conv2d_backward_data", {{"dx", a.dx, g.input_size()}},
                            {{"dy", a.dy, g.output_size()}, {"w", a.w, g.filter_size()}});
}
/// Throws: where conv2d_backward_weights() does.
template <scalar T>
void check(const conv2d_backward_weights_args<T>& a) {
  const conv2d_geometry& g = a.geometry;
  check(g, "conv2d_backward_weights");
  detail::check_operands<T>("conv2d_backward_weights",
                            {{"dw", a.dw, g.filter_size()}, detail::optional_operand<T>("db", a.db, g.f)},
                            {{"x", a.x, g.input_size()}, {"dy", a.dy, g.output_size()}});
}

/// y ← act(x ∗ w + bias): images (n, h, w, c), filter (kh, kw, c, f), y (n, oh, ow, f), all dense. What lies on the
/// padding is zero and is multiplied like anything else.
/// Next: reference/conv2d.hpp is the definition, ops/conv2d_geometry.hpp the extents.
/// Work: conv2d_work(geometry, {.bias = bias != nullptr, .act = act}).
/// Throws: shape_error where the window does not fit, a size overflows, a pointer is null or y overlaps an operand;
/// value_error for a stride or dilation < 1, a negative padding, or an activation that needs a parameter.
/// Example:
///   const rp::conv2d_geometry g{.n = 8, .h = 28, .w = 28, .c = 1, .f = 64, .kh = 3, .kw = 3,
///                               .padding = rp::same_padding(28, 3)};
///   rp::conv2d(on, g, x.data(), w.data(), bias.data(), y.data(), rp::activation::relu);
template <scalar T, backend Backend>
  requires(executes<Backend, conv2d_args<T>>)
work conv2d(const Backend& on, const conv2d_geometry& g, std::type_identity_t<const T*> x,
            std::type_identity_t<const T*> w, std::type_identity_t<const T*> bias, T* y,
            activation act = activation::none) {
  return run(on, conv2d_args<T>{.geometry = g, .x = x, .w = w, .bias = bias, .y = y, .act = act});
}
/// dx ← the gradient of conv2d() (without its activation) for x.
/// Work: conv2d_backward_data_work(geometry). Throws: as conv2d().
template <scalar T, backend Backend>
  requires(executes<Backend, conv2d_backward_data_args<T>>)
work conv2d_backward_data(const Backend& on, const conv2d_geometry& g, std::type_identity_t<const T*> dy,
                          std::type_identity_t<const T*> w, T* dx) {
  return run(on, conv2d_backward_data_args<T>{.geometry = g, .dy = dy, .w = w, .dx = dx});
}
/// dw and, unless db is null, db ← the gradients for filter and bias. An empty batch gives zeros.
/// Work: conv2d_backward_weights_work(geometry, {.bias = db != nullptr}). Throws: as conv2d().
template <scalar T, backend Backend>
  requires(executes<Backend, conv2d_backward_weights_args<T>>)
work conv2d_backward_weights(const Backend& on, const conv2d_geometry& g, std::type_identity_t<const T*> x,
                             std::type_identity_t<const T*> dy, T* dw, std::type_identity_t<T*> db) {
  return run(on, conv2d_backward_weights_args<T>{.geometry = g, .x = x, .dy = dy, .dw = dw, .db = db});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

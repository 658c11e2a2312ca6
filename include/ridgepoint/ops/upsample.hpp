// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string_view>

#include <ridgepoint/core/dense_arguments.hpp>
#include <ridgepoint/ops/geometry.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Interpolation between pixels: the nearest one, or a blend of the two on either side in both directions.
enum class upsampling { nearest, bilinear };

/// Factor and interpolation.
struct upsample_options {
  spatial factor = 2;
  upsampling how = upsampling::nearest;
};

/// The pixels of a line that contribute to one output, and their weights.
struct upsample_taps {
  int count = 1;
  index_t at[2] = {0, 0};
  double weight[2] = {1, 0};
};
/// Returns the pixels of output o of a line. Pixel centres are half a pixel from the edges: the centre of o is at
/// (o + ½)/factor − ½. Beyond the outermost centres, the outermost pixels are blended with themselves.
/// Throws: value_error for a factor < 1.
[[nodiscard]] constexpr upsample_taps taps_of(index_t o, index_t extent, index_t factor, upsampling how) {
  const index_t whole = o / checked_divisor("upsample: factor", factor);
  if (how == upsampling::nearest) return {.at = {whole, whole}};
  const double past = (static_cast<double>(o % factor) + 0.5) / static_cast<double>(factor) - 0.5;
  const index_t first = past < 0 ? whole - 1 : whole;
  const double share = past < 0 ? past + 1 : past;
  return {
      .count = 2, .at = {std::max<index_t>(first, 0), (std::min)(first + 1, extent - 1)}, .weight = {1 - share, share}};
}
/// The outputs that pixel i may contribute to: [first, end).
struct upsample_reach {
  index_t first, end;
};
[[nodiscard]] constexpr upsample_reach reach_of(index_t i, index_t extent, index_t factor, upsampling how) noexcept {
  if (how == upsampling::nearest) return {i * factor, (i + 1) * factor};
  return {std::max<index_t>(i - 1, 0) * factor, (std::min)(i + 2, extent) * factor};
}

/// y(n, oh, ow, c) ← x(n, oh / factor, ow / factor, c), or the blend of four pixels.
template <scalar T>
struct upsample_args {
  static constexpr std::string_view name = "upsample";
  upsample_options options = {};
  index_t n = 0, h = 0, w = 0, c = 0;
  const T* x = nullptr;  // (n, h, w, c)
  T* y = nullptr;        // (n, factor.h·h, factor.w·w, c)
};
/// dx(n, h, w, c) ← Σ dy over the outputs that the pixel contributes to, each with its weight.
template <scalar T>
struct upsample_backward_args {
  static constexpr std::string_view name = "upsample_backward";
  upsample_options options = {};
  index_t n = 0, h = 0, w = 0, c = 0;
  const T* dy = nullptr;  // (n, factor.h·h, factor.w·w, c)
  T* dx = nullptr;        // (n, h, w, c)
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const upsample_args<T>& a) noexcept {
  const spatial f = a.options.factor;
  return std::array{operand::input("x", a.x, a.n, a.h, a.w, a.c),
                    operand::output("y", a.y, a.n, f.h * a.h, f.w * a.w, a.c)};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const upsample_backward_args<T>& a) noexcept {
  const spatial f = a.options.factor;
  return std::array{operand::input("dy", a.dy, a.n, f.h * a.h, f.w * a.w, a.c),
                    operand::output("dx", a.dx, a.n, a.h, a.w, a.c)};
}

namespace detail {
template <class Args>
[[nodiscard]] constexpr std::uint64_t larger_size(const Args& a) noexcept {
  const spatial f = a.options.factor;
  return static_cast<std::uint64_t>(a.n * f.h * a.h * f.w) * static_cast<std::uint64_t>(a.w * a.c);
}
}  // namespace detail
/// Receipt of upsample() of (n, h, w, c): no FLOP or, for bilinear, 9 FLOP per output (three blends of two); reads x,
/// writes y.
template <scalar T>
[[nodiscard]] constexpr work receipt(const upsample_args<T>& a) noexcept {
  return {.flop = (a.options.how == upsampling::nearest ? 0 : 9) * detail::larger_size(a),
          .bytes = traffic_of(operands(a))};
}
/// Receipt of upsample_backward(): an addition or, for bilinear, four multiply-adds per output; reads dy, writes dx.
template <scalar T>
[[nodiscard]] constexpr work receipt(const upsample_backward_args<T>& a) noexcept {
  return {.flop = (a.options.how == upsampling::nearest ? 1 : 8) * detail::larger_size(a),
          .bytes = traffic_of(operands(a))};
}

namespace detail {
/// Throws: value_error for a factor < 1; shape_error without pixels or channels, or if the size exceeds index_t.
inline void check_upsampling(std::string_view op, index_t h, index_t w, index_t c, const upsample_options& options) {
  const auto [fh, fw] = options.factor;
  require<value_error>(fh > 0 && fw > 0, op, ": factor is ", fh, 'x', fw, "; must be >= 1 in both directions");
  require<shape_error>(h > 0 && w > 0 && c > 0, op, ": an image is ", h, 'x', w, 'x', c, "; must have a pixel");
  static_cast<void>(checked_mul(checked_mul(checked_mul(fh, h), checked_mul(fw, w)), c));
}
/// Returns the extents of an image. Throws: shape_error unless it is dense, of rank 4, and `factor` times as large as
/// `before`.
template <class Small, class Large>
void check_enlarged(std::string_view op, std::string_view before_name, const Small& before, std::string_view after_name,
                    const Large& after, const upsample_options& options) {
  require<shape_error>(before.extents.rank() == 4, op, ": ", before_name, " is ", before.extents,
                       "; must be images x height x width x channels");
  static_cast<void>(before.count(op, before_name));
  const auto& e = before.extents;
  check_upsampling(op, e[1], e[2], e[3], options);
  const shape larger{e[0], options.factor.h * e[1], options.factor.w * e[2], e[3]};
  if (after.data == nullptr) return;
  require<shape_error>(after.extents == larger, op, ": ", after_name, " is ", after.extents, "; must be ", larger);
  static_cast<void>(after.count(op, after_name));
}
}  // namespace detail

/// Throws: as upsample().
template <scalar T>
void check(const upsample_args<T>& a) {
  detail::check_upsampling("upsample", a.h, a.w, a.c, a.options);
  check_operands(a);
}
/// Throws: as upsample_backward().
template <scalar T>
void check(const upsample_backward_args<T>& a) {
  detail::check_upsampling("upsample_backward", a.h, a.w, a.c, a.options);
  check_operands(a);
}

/// y ← x with `factor` times as many rows and columns: every pixel repeated, or blended with its neighbours, with pixel
/// centres half a pixel from the edges, as align_corners = false in PyTorch.
/// x is (n, h, w, c), y (n, factor.h·h, factor.w·w, c).
/// Next: reference/pooling.hpp is the definition, cpu/elementwise.hpp the fast one.
/// Work: receipt(upsample_args).
/// Throws: value_error for a factor < 1; shape_error for extents that disagree or overflow, no pixels, a null pointer
/// or operands that overlap.
/// Example:
///   rp::upsample(on, x, y, {.factor = 2, .how = rp::upsampling::bilinear});
template <class Backend, class C, class E = dense_element<C>>
work upsample(const Backend& on, const dense_in<E>& x, C&& y, const upsample_options& options = {}) {
  static_assert(runs<Backend, upsample_args<E>, E>,
                "upsample: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "upsample: y must be mutable and of float or double: a tensor, a tensor_view or a matrix_view");
  const auto to = dense_output<E>(y);
  detail::check_enlarged("upsample", "x", x, "y", to, options);
  return detail::run_checked<E>(on, upsample_args<E>{.options = options,
                                                     .n = x.extents[0],
                                                     .h = x.extents[1],
                                                     .w = x.extents[2],
                                                     .c = x.extents[3],
                                                     .x = x.data,
                                                     .y = to.data});
}
/// dx ← the gradient of upsample() for x. Work: receipt(upsample_backward_args). Throws: as upsample().
/// Example:
///   rp::upsample_backward(on, dy, dx, {.factor = 2});
template <class Backend, class C, class E = dense_element<C>>
work upsample_backward(const Backend& on, const dense_in<E>& dy, C&& dx, const upsample_options& options = {}) {
  static_assert(runs<Backend, upsample_backward_args<E>, E>,
                "upsample_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(
      has_output<Backend, E>,
      "upsample_backward: dx must be mutable and of float or double: a tensor, a tensor_view or a matrix_view");
  const auto to = dense_output<E>(dx);
  detail::check_enlarged("upsample_backward", "dx", to, "dy", dy, options);
  return detail::run_checked<E>(on, upsample_backward_args<E>{.options = options,
                                                              .n = to.extents[0],
                                                              .h = to.extents[1],
                                                              .w = to.extents[2],
                                                              .c = to.extents[3],
                                                              .dy = dy.data,
                                                              .dx = to.data});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

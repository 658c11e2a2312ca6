// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/activation.hpp>
#include <ridgepoint/graph/layers/image.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

[[nodiscard]] pool2d_geometry pool_geometry(std::string_view layer, index_t n, const shape& in, spatial window,
                                            spatial stride, const nn::padding_rule& padding, rounding_rule rounding);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION pool2d_geometry pool_geometry(std::string_view layer, index_t n, const shape& in, spatial window,
                                                    spatial stride, const nn::padding_rule& padding,
                                                    rounding_rule rounding) {
  check_image(layer, in);
  const pool2d_geometry g{.n = n,
                          .h = in[0],
                          .w = in[1],
                          .c = in[2],
                          .kh = window.h,
                          .kw = window.w,
                          .stride = stride,
                          .padding = padding.of({in[0], in[1]}, window, stride),
                          .rounding = rounding};
  check(g, layer);
  return g;
}
#endif
[[nodiscard]] pool2d_geometry pool_geometry(std::string_view layer, const lowering& to, spatial window, spatial stride,
                                            const nn::padding_rule& padding, rounding_rule rounding);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION pool2d_geometry pool_geometry(std::string_view layer, const lowering& to, spatial window,
                                                    spatial stride, const nn::padding_rule& padding,
                                                    rounding_rule rounding) {
  const shape& in = to.input_shape();
  return pool_geometry(layer, in[0], {in[1], in[2], in[3]}, window, stride, padding, rounding);
}
#endif
void lower_max_pool(lowering& to, const pool2d_geometry& g, slot x, slot y, slot index);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION void lower_max_pool(lowering& to, const pool2d_geometry& g, slot x, slot y, slot index) {
  to.emit({.shape = to_string(g)}, [=](const addresses& at) {
    return max_pool2d_args<stored>{.geometry = g, .x = at(x), .y = at(y), .index = at(index)};
  });
}
#endif
void lower_max_pool_backward(lowering& to, const pool2d_geometry& g, slot dy, slot index, slot dx);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION void lower_max_pool_backward(lowering& to, const pool2d_geometry& g, slot dy, slot index,
                                                   slot dx) {
  to.emit({.shape = to_string(g)}, [=](const addresses& at) {
    return max_pool2d_backward_args<stored>{.geometry = g, .dy = at(dy), .index = at(index), .dx = at(dx)};
  });
}
#endif
void lower_avg_pool(lowering& to, const pool2d_geometry& g, mean_over over);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION void lower_avg_pool(lowering& to, const pool2d_geometry& g, mean_over over) {
  const slot x = to.input(), y = to.output();
  to.emit({.shape = to_string(g)}, [=](const addresses& at) {
    return avg_pool2d_args<stored>{.geometry = g, .x = at(x), .y = at(y), .over = over};
  });
}
#endif
void lower_avg_pool_backward(lowering& to, const pool2d_geometry& g, mean_over over);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION void lower_avg_pool_backward(lowering& to, const pool2d_geometry& g, mean_over over) {
  const slot dy = to.output_gradient(), dx = to.input_gradient();
  to.emit({.shape = to_string(g)}, [=](const addresses& at) {
    return avg_pool2d_backward_args<stored>{.geometry = g, .dy = at(dy), .dx = at(dx), .over = over};
  });
}
#endif

}  // namespace detail

namespace nn {

/// The largest value of each window: (h, w, c) → (oh, ow, c). While training it remembers which it was, a byte each.
/// Example: nn::max_pool{.window = 3, .stride = 2, .padding = nn::same}
struct max_pool {
  static constexpr std::string_view name = "max_pool";
  spatial window = 2;
  spatial stride = 2;
  padding_rule padding = valid;
  rounding_rule rounding = rounding_rule::down;  // of oh and ow; up is PyTorch's ceil_mode
  activation act = activation::none;             // of the largest value; a fusable one

  /// Throws: shape_error for an input that is no image or that the window does not fit; value_error for a stride < 1 or
  /// an activation that is not fusable.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape max_pool::output(const shape& in) const {
  check_fusable(name, act);
  const pool2d_geometry g = detail::pool_geometry(name, 1, in, window, stride, padding, rounding);
  return {g.oh(), g.ow(), g.c};
}
RIDGEPOINT_DEFINITION void max_pool::forward(lowering& to) const {
  const pool2d_geometry g = detail::pool_geometry(name, to, window, stride, padding, rounding);
  const slot x = to.input(), y = act == activation::none ? to.output() : to.scratch(g.output_size());
  detail::lower_max_pool(to, g, x, y, to.training() ? to.saved(0, g.output_size(), element::u8) : slot{});
  if (act != activation::none) detail::lower_activation(to, y, act);
}
RIDGEPOINT_DEFINITION void max_pool::backward(lowering& to) const {
  if (!to.needs_input_gradient()) return;
  const pool2d_geometry g = detail::pool_geometry(name, to, window, stride, padding, rounding);
  const slot dy = detail::gradient_before(to, act), dx = to.input_gradient();
  detail::lower_max_pool_backward(to, g, dy, to.saved(0, g.output_size(), element::u8), dx);
}
#endif

/// The mean of each window, without what lies beside the image, or, over windows, with its padding:
/// (h, w, c) → (oh, ow, c).
/// Example: nn::avg_pool{.window = 3, .stride = 2, .padding = rp::padding2d{1, 1, 1, 1}, .over = rp::mean_over::window}
struct avg_pool {
  static constexpr std::string_view name = "avg_pool";
  spatial window = 2;
  spatial stride = 2;
  padding_rule padding = valid;
  rounding_rule rounding = rounding_rule::down;  // of oh and ow
  mean_over over = mean_over::image;

  /// Throws: as max_pool::output().
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape avg_pool::output(const shape& in) const {
  const pool2d_geometry g = detail::pool_geometry(name, 1, in, window, stride, padding, rounding);
  return {g.oh(), g.ow(), g.c};
}
RIDGEPOINT_DEFINITION void avg_pool::forward(lowering& to) const {
  detail::lower_avg_pool(to, detail::pool_geometry(name, to, window, stride, padding, rounding), over);
}
RIDGEPOINT_DEFINITION void avg_pool::backward(lowering& to) const {
  if (to.needs_input_gradient())
    detail::lower_avg_pool_backward(to, detail::pool_geometry(name, to, window, stride, padding, rounding), over);
}
#endif

/// The mean of each channel over the whole image: (h, w, c) → (c).
struct global_avg_pool {
  static constexpr std::string_view name = "global_avg_pool";

  /// Throws: shape_error for an input that is no image.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] static pool2d_geometry whole(const lowering& to);
};
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape global_avg_pool::output(const shape& in) const {
  detail::check_image(name, in);
  return {in[2]};
}
RIDGEPOINT_DEFINITION void global_avg_pool::forward(lowering& to) const {
  detail::lower_avg_pool(to, whole(to), mean_over::image);
}
RIDGEPOINT_DEFINITION void global_avg_pool::backward(lowering& to) const {
  if (to.needs_input_gradient()) detail::lower_avg_pool_backward(to, whole(to), mean_over::image);
}
RIDGEPOINT_DEFINITION pool2d_geometry global_avg_pool::whole(const lowering& to) {
  return detail::pool_geometry(name, to, {to.input_shape()[1], to.input_shape()[2]}, 1, valid, rounding_rule::down);
}
#endif

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::max_pool>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::avg_pool>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::global_avg_pool>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif

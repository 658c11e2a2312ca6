// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/image.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Every channel convolved with filters of its own: (h, w, c) → (oh, ow, c·multiplier); w is (kh, kw, c, multiplier).
/// Example: nn::depthwise_conv2d{.kernel = 3, .stride = 2, .padding = nn::same, .bias = false}
struct depthwise_conv2d {
  static constexpr std::string_view name = "depthwise_conv2d";
  index_t multiplier = 1;
  spatial kernel = 0;  // extents of the window, to be given
  spatial stride = 1;
  padding_rule padding = valid;
  spatial dilation = 1;
  bool bias = true;
  initialiser initial = glorot_uniform;  // of w; b starts at 0

  /// Throws: as conv2d::output().
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] depthwise_geometry geometry(index_t n, const shape& in) const;
  [[nodiscard]] depthwise_geometry geometry(const lowering& to) const;
};
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape depthwise_conv2d::output(const shape& in) const {
  const depthwise_geometry g = geometry(1, in);
  check(g, name);
  return {g.oh(), g.ow(), g.f()};
}
RIDGEPOINT_DEFINITION std::vector<parameter> depthwise_conv2d::parameters(const shape& in) const {
  const index_t window = kernel.h * kernel.w;
  std::vector<parameter> all{{.name = "w",
                              .extents = {kernel.h, kernel.w, in[-1], multiplier},
                              .initial = initial,
                              .fan = {window, window * multiplier}}};
  if (bias) all.push_back({.name = "b", .extents = {in[-1] * multiplier}});
  return all;
}
RIDGEPOINT_DEFINITION void depthwise_conv2d::forward(lowering& to) const {
  const depthwise_geometry g = geometry(to);
  const slot x = to.input(), w = to.parameter(0), b = bias ? to.parameter(1) : slot{}, y = to.output();
  to.emit({.shape = to_string(g)}, [=](const addresses& at) {
    return depthwise_conv2d_args<stored>{.geometry = g, .x = at(x), .w = at(w), .bias = at(b), .y = at(y)};
  });
}
RIDGEPOINT_DEFINITION void depthwise_conv2d::backward(lowering& to) const {
  const depthwise_geometry g = geometry(to);
  const slot db = bias ? to.parameter_gradient(1) : slot{};
  detail::lower_convolution_backward(to, depthwise_conv2d_backward_weights_args<stored>{.geometry = g},
                                     depthwise_conv2d_backward_data_args<stored>{.geometry = g}, to.output_gradient(),
                                     db);
}
RIDGEPOINT_DEFINITION depthwise_geometry depthwise_conv2d::geometry(index_t n, const shape& in) const {
  detail::check_image(name, in);
  return {.n = n,
          .h = in[0],
          .w = in[1],
          .c = in[2],
          .multiplier = multiplier,
          .kh = kernel.h,
          .kw = kernel.w,
          .stride = stride,
          .padding = padding.of({in[0], in[1]}, kernel, stride, dilation),
          .dilation = dilation};
}
RIDGEPOINT_DEFINITION depthwise_geometry depthwise_conv2d::geometry(const lowering& to) const {
  const shape& in = to.input_shape();
  return geometry(in[0], {in[1], in[2], in[3]});
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::depthwise_conv2d>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/depthwise_conv2d.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

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
  to.add_call({.shape = to_string(g)}, [=](const addresses& at) {
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

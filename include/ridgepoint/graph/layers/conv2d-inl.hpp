// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape conv2d::output(const shape& in) const {
  require<shape_error>(filters > 0, name, ": filters is ", filters, "; must be > 0");
  const conv2d_geometry g = geometry(1, in);
  check(g, name);
  check_fusable(name, act, slope);
  return {g.oh(), g.ow(), g.f};
}
RIDGEPOINT_DEFINITION std::vector<parameter> conv2d::parameters(const shape& in) const {
  const index_t window = kernel.h * kernel.w, c = in[-1] / checked_divisor("conv2d: groups", groups);
  std::vector<parameter> all{{.name = "w",
                              .extents = {kernel.h, kernel.w, c, filters},
                              .initial = initial,
                              .fan = {window * c, window * filters}}};
  if (bias) all.push_back({.name = "b", .extents = {filters}, .initial = initial_bias});
  return all;
}
RIDGEPOINT_DEFINITION std::optional<any_layer> conv2d::absorb(const any_layer& next) const {
  return detail::with_activation(*this, next);
}
RIDGEPOINT_DEFINITION void conv2d::forward(lowering& to) const { forward(to, geometry(to)); }
RIDGEPOINT_DEFINITION void conv2d::forward(lowering& to, const conv2d_geometry& g) const {
  const slot x = to.input(), w = to.parameter(0), b = bias ? to.parameter(1) : slot{}, y = to.output();
  const slot residual = to.input_count() > 1 ? to.input(1) : slot{};  // of a sum that a session computes here
  const std::string suffix =
      concat(residual.exists() ? " + residual" : "", act == activation::none ? "" : concat(' ', to_string(act)));
  to.add_call({.shape = concat(g, suffix)},
              [=, f = act, how = to.convolution(algorithm, g), leak = slope](const addresses& at) {
                return conv2d_args<stored>{.geometry = g,
                                           .x = at(x),
                                           .w = at(w),
                                           .bias = at(b),
                                           .y = at(y),
                                           .act = f,
                                           .algorithm = how,
                                           .residual = at(residual),
                                           .slope = leak};
              });
}
RIDGEPOINT_DEFINITION void conv2d::backward(lowering& to) const { backward(to, geometry(to)); }
RIDGEPOINT_DEFINITION void conv2d::backward(lowering& to, const conv2d_geometry& g) const {
  const slot dy = detail::gradient_before(to, act, slope), db = bias ? to.parameter_gradient(1) : slot{};
  const conv_algorithm how = to.convolution(algorithm, g);
  detail::lower_convolution_backward(to, conv2d_backward_weights_args<stored>{.geometry = g, .algorithm = how},
                                     conv2d_backward_data_args<stored>{.geometry = g, .algorithm = how}, dy, db);
}
RIDGEPOINT_DEFINITION conv2d_geometry conv2d::geometry(index_t n, const shape& in) const {
  detail::check_image(name, in);
  return {.n = n,
          .h = in[0],
          .w = in[1],
          .c = in[2],
          .f = filters,
          .kh = kernel.h,
          .kw = kernel.w,
          .stride = stride,
          .padding = padding.of({in[0], in[1]}, kernel, stride, dilation),
          .dilation = dilation,
          .groups = groups};
}
RIDGEPOINT_DEFINITION conv2d_geometry conv2d::geometry(const lowering& to) const {
  const shape& in = to.input_shape();
  return geometry(in[0], {in[1], in[2], in[3]});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

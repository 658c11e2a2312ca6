// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/graph/layers/convolution.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/add_bias.hpp>
#include <ridgepoint/ops/dense.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>
#include <ridgepoint/ops/geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape conv1d::output(const shape& in) const {
  require<shape_error>(in.rank() == 2, name, ": input is ", in, "; must be steps x features");
  const padding2d sides = padding.of({1, in[0]}, {1, kernel}, {1, stride}, {1, dilation});
  require<shape_error>(sides.top == 0 && sides.bottom == 0, name, ": padding is ", sides.top, " above and ",
                       sides.bottom, " below; must be 0");
  const shape out = of_images().output({1, in[0], in[1]});
  return {out[1], out[2]};
}
RIDGEPOINT_DEFINITION std::vector<parameter> conv1d::parameters(const shape& in) const {
  std::vector<parameter> all = of_images().parameters({1, in[0], in[1]});
  const shape& w = all[0].extents;
  all[0].extents = {w[1], w[2], w[3]};
  return all;
}
RIDGEPOINT_DEFINITION std::optional<any_layer> conv1d::absorb(const any_layer& next) const {
  return detail::with_activation(*this, next);
}
RIDGEPOINT_DEFINITION void conv1d::forward(lowering& to) const { of_images().forward(to, geometry(to)); }
RIDGEPOINT_DEFINITION void conv1d::backward(lowering& to) const { of_images().backward(to, geometry(to)); }
RIDGEPOINT_DEFINITION conv2d conv1d::of_images() const {
  return {.filters = filters,
          .kernel = {1, kernel},
          .stride = {1, stride},
          .padding = padding,
          .dilation = {1, dilation},
          .groups = groups,
          .bias = bias,
          .act = act,
          .slope = slope,
          .initial = initial,
          .initial_bias = initial_bias,
          .algorithm = algorithm};
}
RIDGEPOINT_DEFINITION conv2d_geometry conv1d::geometry(const lowering& to) const {
  const shape& in = to.input_shape();
  return of_images().geometry(in[0], {1, in[1], in[2]});
}

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
  const slot residual = to.input_count() > 1 ? to.input(1) : slot{};  // of a sum that a session fuses
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

RIDGEPOINT_DEFINITION shape conv2d_transposed::output(const shape& in) const {
  require<shape_error>(filters > 0, name, ": filters is ", filters, "; must be > 0");
  const conv2d_geometry g = geometry(1, in);
  check(g, name);
  check_fusable(name, act);
  require<shape_error>(g.oh() == in[0] && g.ow() == in[1], name, ": output is ", g.h, 'x', g.w,
                       ", which a convolution maps to ", g.oh(), 'x', g.ow(), "; must be the ", in[0], 'x', in[1],
                       " of the input");
  return {g.h, g.w, g.c};
}
RIDGEPOINT_DEFINITION std::vector<parameter> conv2d_transposed::parameters(const shape& in) const {
  const index_t window = kernel.h * kernel.w;
  std::vector<parameter> all{{.name = "w",
                              .extents = {kernel.h, kernel.w, filters, in[-1]},
                              .initial = initial,
                              .fan = {window * in[-1], window * filters}}};
  if (bias) all.push_back({.name = "b", .extents = {filters}, .initial = initial_bias});
  return all;
}
RIDGEPOINT_DEFINITION std::optional<any_layer> conv2d_transposed::absorb(const any_layer& next) const {
  return detail::with_activation(*this, next);
}
RIDGEPOINT_DEFINITION void conv2d_transposed::forward(lowering& to) const {
  const conv2d_geometry g = geometry(to);
  const bool plain = !bias && act == activation::none;
  const slot x = to.input(), w = to.parameter(0), z = plain ? to.output() : to.scratch(g.input_size());
  to.add_call({.shape = to_string(g)}, [=, how = to.convolution(algorithm, g)](const addresses& at) {
    return conv2d_backward_data_args<stored>{.geometry = g, .dy = at(x), .w = at(w), .dx = at(z), .algorithm = how};
  });
  if (plain) return;
  const slot y = to.output();
  const std::string text = concat(to.output_shape(), act == activation::none ? "" : concat(' ', to_string(act)));
  if (!bias)
    return to.add_call({.shape = text}, [=, f = act, size = g.input_size()](const addresses& at) {
      return activate_args<stored>{.f = f, .size = size, .x = at(z), .y = at(y)};
    });
  const slot b = to.parameter(1);
  to.add_call({.shape = text}, [=, f = act, rows = g.n * g.h * g.w](const addresses& at) {
    return add_bias_args<stored>{.rows = rows, .channels = g.c, .x = at(z), .bias = at(b), .y = at(y), .act = f};
  });
}
RIDGEPOINT_DEFINITION void conv2d_transposed::backward(lowering& to) const {
  const conv2d_geometry g = geometry(to);
  const slot dz = detail::gradient_before(to, act), x = to.input(), w = to.parameter(0);
  const slot dw = to.parameter_gradient(0);
  const conv_algorithm how = to.convolution(algorithm, g);
  to.add_call({.pass = pass::backward_weights, .shape = to_string(g)}, [=](const addresses& at) {
    return conv2d_backward_weights_args<stored>{
        .geometry = g, .x = at(dz), .dy = at(x), .dw = at(dw), .algorithm = how};
  });
  if (bias) {  // the gradient of a dense layer's bias, which needs no inputs
    const slot db = to.parameter_gradient(1);
    to.add_call({.pass = pass::backward_weights, .shape = concat(to.output_shape(), " bias")},
                [=, rows = g.n * g.h * g.w](const addresses& at) {
                  return dense_backward_weights_args<stored>{
                      .x = {nullptr, rows, 0}, .dy = {at(dz), rows, g.c}, .dw = {nullptr, 0, g.c}, .db = at(db)};
                });
  }
  if (!to.needs_input_gradient()) return;
  const slot dx = to.input_gradient();
  to.add_call({.shape = to_string(g)}, [=](const addresses& at) {
    return conv2d_args<stored>{.geometry = g, .x = at(dz), .w = at(w), .y = at(dx), .algorithm = how};
  });
}
RIDGEPOINT_DEFINITION conv2d_geometry conv2d_transposed::geometry(index_t n, const shape& in) const {
  detail::check_image(name, in);
  const auto extent = [&](index_t inputs, index_t taps, index_t step, index_t spread, index_t sides,
                          std::optional<index_t> more) {
    require<value_error>(step >= 1 && spread >= 1, name, ": stride is ", step, ", dilation is ", spread,
                         "; must be >= 1");
    require<shape_error>(taps >= 1, name, ": kernel is ", taps, "; must be >= 1");
    require<shape_error>(!more || (*more >= 0 && *more < step), name, ": output_padding is ", more.value_or(0),
                         "; must be from 0 to ", step - 1, ", below the stride");
    const index_t reach = checked_add(checked_mul(taps - 1, spread), 1);
    if (padding.is_same() && !more) return checked_mul(inputs, step);
    const index_t whole = checked_add(checked_mul(inputs - 1, step), reach);
    const index_t least = padding.is_same() ? 2 * (reach / 2) : sides;
    return checked_add(whole - least, more.value_or(std::max<index_t>(step - reach, 0)));
  };
  const padding2d sides = padding.is_same() ? padding2d{} : padding.of({}, kernel, stride, dilation);
  const auto more = [&](index_t spatial::*side) {
    return output_padding ? std::optional((*output_padding).*side) : std::nullopt;
  };
  const spatial large{extent(in[0], kernel.h, stride.h, dilation.h, sides.top + sides.bottom, more(&spatial::h)),
                      extent(in[1], kernel.w, stride.w, dilation.w, sides.left + sides.right, more(&spatial::w))};
  return {.n = n,
          .h = large.h,
          .w = large.w,
          .c = filters,
          .f = in[2],
          .kh = kernel.h,
          .kw = kernel.w,
          .stride = stride,
          .padding = padding.of(large, kernel, stride, dilation),
          .dilation = dilation};
}
RIDGEPOINT_DEFINITION conv2d_geometry conv2d_transposed::geometry(const lowering& to) const {
  const shape& in = to.input_shape();
  return geometry(in[0], {in[1], in[2], in[3]});
}

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

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

RIDGEPOINT_DEFINITION void check_image(std::string_view layer, const shape& in) {
  require<shape_error>(in.rank() == 3, layer, ": input is ", in, "; must be height x width x channels");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

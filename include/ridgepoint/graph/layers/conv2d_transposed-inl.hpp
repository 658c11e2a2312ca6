// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/graph/layers/conv2d_transposed.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/add_bias.hpp>
#include <ridgepoint/ops/dense.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape conv2d_transposed::output(const shape& in) const {
  require<shape_error>(filters > 0, name, ": filters is ", filters, "; must be > 0");
  const conv2d_geometry g = geometry(1, in);
  check(g, name);
  check_fusable(name, act);
  require<shape_error>(g.oh() == in[0] && g.ow() == in[1], name, ": output is ", g.h, 'x', g.w,
                       ", of which a convolution makes ", g.oh(), 'x', g.ow(), "; must be the ", in[0], 'x', in[1],
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
  if (bias) {  // the gradient of a dense layer's bias, which has no inputs here
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
  const auto extent = [&](index_t inputs, index_t taps, index_t step, index_t apart, index_t sides,
                          std::optional<index_t> more) {
    require<value_error>(step >= 1 && apart >= 1, name, ": stride is ", step, ", dilation is ", apart,
                         "; must be >= 1");
    require<shape_error>(taps >= 1, name, ": kernel is ", taps, "; must be >= 1");
    require<shape_error>(!more || (*more >= 0 && *more < step), name, ": output_padding is ", more.value_or(0),
                         "; must be from 0 to ", step - 1, ", below the stride");
    const index_t reach = checked_add(checked_mul(taps - 1, apart), 1);
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

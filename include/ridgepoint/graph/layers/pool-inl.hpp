// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/pool.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

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

RIDGEPOINT_DEFINITION pool2d_geometry pool_geometry(std::string_view layer, const lowering& to, spatial window,
                                                    spatial stride, const nn::padding_rule& padding,
                                                    rounding_rule rounding) {
  const shape& in = to.input_shape();
  return pool_geometry(layer, in[0], {in[1], in[2], in[3]}, window, stride, padding, rounding);
}

RIDGEPOINT_DEFINITION void lower_max_pool(lowering& to, const pool2d_geometry& g, slot x, slot y, slot index) {
  to.add_call({.shape = to_string(g)}, [=](const addresses& at) {
    return max_pool2d_args<stored>{.geometry = g, .x = at(x), .y = at(y), .index = at(index)};
  });
}

RIDGEPOINT_DEFINITION void lower_max_pool_backward(lowering& to, const pool2d_geometry& g, slot dy, slot index,
                                                   slot dx) {
  to.add_call({.shape = to_string(g)}, [=](const addresses& at) {
    return max_pool2d_backward_args<stored>{.geometry = g, .dy = at(dy), .index = at(index), .dx = at(dx)};
  });
}

RIDGEPOINT_DEFINITION void lower_avg_pool(lowering& to, const pool2d_geometry& g, mean_over over) {
  const slot x = to.input(), y = to.output();
  to.add_call({.shape = to_string(g)}, [=](const addresses& at) {
    return avg_pool2d_args<stored>{.geometry = g, .x = at(x), .y = at(y), .over = over};
  });
}

RIDGEPOINT_DEFINITION void lower_avg_pool_backward(lowering& to, const pool2d_geometry& g, mean_over over) {
  const slot dy = to.output_gradient(), dx = to.input_gradient();
  to.add_call({.shape = to_string(g)}, [=](const addresses& at) {
    return avg_pool2d_backward_args<stored>{.geometry = g, .dy = at(dy), .dx = at(dx), .over = over};
  });
}

}  // namespace detail

namespace nn {

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

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/pooling.hpp>
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

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape global_avg_pool1d::output(const shape& in) const {
  require<shape_error>(in.rank() == 2, name, ": input is ", in, "; must be steps x features");
  return {in[1]};
}
RIDGEPOINT_DEFINITION void global_avg_pool1d::forward(lowering& to) const {
  detail::lower_avg_pool(to, whole(to), mean_over::image);
}
RIDGEPOINT_DEFINITION void global_avg_pool1d::backward(lowering& to) const {
  if (to.needs_input_gradient()) detail::lower_avg_pool_backward(to, whole(to), mean_over::image);
}
RIDGEPOINT_DEFINITION pool2d_geometry global_avg_pool1d::whole(const lowering& to) {
  const shape& in = to.input_shape();
  return detail::pool_geometry(name, in[0], {1, in[1], in[2]}, {1, in[1]}, 1, valid, rounding_rule::down);
}

RIDGEPOINT_DEFINITION shape global_max_pool::output(const shape& in) const {
  detail::check_image(name, in);
  return {in[2]};
}
RIDGEPOINT_DEFINITION void global_max_pool::forward(lowering& to) const {
  const std::vector<pool2d_geometry> all = steps(to);
  slot x = to.input();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const slot y = i + 1 < all.size() ? to.scratch(all[i].output_size()) : to.output();
    detail::lower_max_pool(to, all[i], x, y, to.training() ? to.saved(i, all[i].output_size(), element::u8) : slot{});
    x = y;
  }
}
RIDGEPOINT_DEFINITION void global_max_pool::backward(lowering& to) const {
  if (!to.needs_input_gradient()) return;
  const std::vector<pool2d_geometry> all = steps(to);
  slot dy = to.output_gradient();
  for (std::size_t i = all.size(); i-- > 0;) {
    const slot dx = i > 0 ? to.scratch(all[i].input_size()) : to.input_gradient();
    detail::lower_max_pool_backward(to, all[i], dy, to.saved(i, all[i].output_size(), element::u8), dx);
    dy = dx;
  }
}
RIDGEPOINT_DEFINITION std::vector<pool2d_geometry> global_max_pool::steps(const lowering& to) {
  const shape& in = to.input_shape();
  std::vector<pool2d_geometry> all;
  index_t h = in[1], w = in[2];
  do {
    constexpr index_t side = 16;
    const auto even = [](index_t extent) { return ceil_div(extent, ceil_div(extent, side)); };  // windows of equal size
    const spatial window = h * w <= side * side ? spatial{h, w} : spatial{even(h), even(w)};
    all.push_back(detail::pool_geometry(name, in[0], {h, w, in[3]}, window, window, valid, rounding_rule::up));
    h = all.back().oh(), w = all.back().ow();
  } while (h * w > 1);
  return all;
}

RIDGEPOINT_DEFINITION shape upsample::output(const shape& in) const {
  detail::check_image(name, in);
  detail::check_upsampling(name, in[0], in[1], in[2], {.factor = factor, .how = how});
  return {factor.h * in[0], factor.w * in[1], in[2]};
}
RIDGEPOINT_DEFINITION void upsample::forward(lowering& to) const {
  const shape in = to.input_shape();
  const slot x = to.input(), y = to.output();
  to.add_call({.shape = concat(in, " to ", to.output_shape())}, [=, o = upsample_options{.factor = factor, .how = how}](
                                                                    const addresses& at) {
    return upsample_args<stored>{.options = o, .n = in[0], .h = in[1], .w = in[2], .c = in[3], .x = at(x), .y = at(y)};
  });
}
RIDGEPOINT_DEFINITION void upsample::backward(lowering& to) const {
  if (!to.needs_input_gradient()) return;
  const shape in = to.input_shape();
  const slot dy = to.output_gradient(), dx = to.input_gradient();
  to.add_call({.shape = concat(in, " of ", to.output_shape())},
              [=, o = upsample_options{.factor = factor, .how = how}](const addresses& at) {
                return upsample_backward_args<stored>{
                    .options = o, .n = in[0], .h = in[1], .w = in[2], .c = in[3], .dy = at(dy), .dx = at(dx)};
              });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

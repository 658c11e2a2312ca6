// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/global_max_pool.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

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
    const auto even = [](index_t extent) { return ceil_div(extent, ceil_div(extent, side)); };  // windows of one size
    const spatial window = h * w <= side * side ? spatial{h, w} : spatial{even(h), even(w)};
    all.push_back(detail::pool_geometry(name, in[0], {h, w, in[3]}, window, window, valid, rounding_rule::up));
    h = all.back().oh(), w = all.back().ow();
  } while (h * w > 1);
  return all;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

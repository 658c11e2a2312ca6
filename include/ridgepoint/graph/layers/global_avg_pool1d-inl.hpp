// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/global_avg_pool1d.hpp>

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

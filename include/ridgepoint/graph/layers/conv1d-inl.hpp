// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/conv1d.hpp>
#include <ridgepoint/ops/conv1d_geometry.hpp>

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

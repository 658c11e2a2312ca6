// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/group_norm.hpp>
#include <ridgepoint/ops/group_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape group_norm::output(const shape& in) const {
  require<shape_error>(in.rank() > 0, "group_norm: input is a scalar; must have at least 1 extent");
  detail::check_epsilon<double>(name, epsilon);
  detail::check_groups(name, 1, in[-1], groups);
  return in;
}
RIDGEPOINT_DEFINITION std::vector<parameter> group_norm::parameters(const shape& in) const {
  return detail::scale_and_shift(in, gamma);
}
RIDGEPOINT_DEFINITION void group_norm::forward(lowering& to) const {
  const shape in = to.input_shape();
  const index_t images = in[0], channels = in[-1], pixels = in.size() / (images * channels);
  const group_norm_args<stored> args{
      .options = {.groups = groups, .epsilon = epsilon}, .images = images, .pixels = pixels, .channels = channels};
  detail::lower_normalisation_forward(to, args, images * groups);
}
RIDGEPOINT_DEFINITION void group_norm::backward(lowering& to) const {
  const shape in = to.input_shape();
  const index_t images = in[0], channels = in[-1], pixels = in.size() / (images * channels);
  detail::lower_normalisation_backward(
      to, group_norm_backward_args<stored>{.images = images, .pixels = pixels, .channels = channels, .groups = groups},
      images * groups);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

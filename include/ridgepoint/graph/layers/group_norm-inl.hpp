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
  const index_t images = in[0], channels = in[-1], pixels = in.size() / (images * channels), kept = images * groups;
  const slot x = to.input(), y = to.output(), g = to.parameter(0), b = to.parameter(1);
  const slot mean = to.training() ? to.saved(0, kept) : slot{}, inverse = to.training() ? to.saved(1, kept) : slot{};
  to.add_call({.shape = to_string(in)},
              [=, o = group_norm_options{.groups = groups, .epsilon = epsilon}](const addresses& at) {
                return group_norm_args<stored>{.options = o,
                                               .images = images,
                                               .pixels = pixels,
                                               .channels = channels,
                                               .x = at(x),
                                               .gamma = at(g),
                                               .beta = at(b),
                                               .y = at(y),
                                               .mean = at(mean),
                                               .inverse = at(inverse)};
              });
}
RIDGEPOINT_DEFINITION void group_norm::backward(lowering& to) const {
  const shape in = to.input_shape();
  const index_t images = in[0], channels = in[-1], pixels = in.size() / (images * channels);
  detail::lower_normalisation_backward(
      to, group_norm_backward_args<stored>{.images = images, .pixels = pixels, .channels = channels, .groups = groups},
      images * groups);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/layer_norm.hpp>
#include <ridgepoint/ops/layer_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape layer_norm::output(const shape& in) const {
  require<shape_error>(in.rank() > 0, "layer_norm: input is a scalar; must have at least 1 extent");
  detail::check_epsilon<double>(name, epsilon);
  return in;
}
RIDGEPOINT_DEFINITION std::vector<parameter> layer_norm::parameters(const shape& in) const {
  return detail::scale_and_shift(in, gamma);
}
RIDGEPOINT_DEFINITION void layer_norm::forward(lowering& to) const {
  const index_t channels = to.input_shape()[-1], rows = to.input_shape().size() / channels;
  const slot x = to.input(), y = to.output(), g = to.parameter(0), b = to.parameter(1);
  const slot mean = to.training() ? to.saved(0, rows) : slot{}, inverse = to.training() ? to.saved(1, rows) : slot{};
  to.add_call({.shape = to_string(to.input_shape())},
              [=, o = layer_norm_options{.epsilon = epsilon}](const addresses& at) {
                return layer_norm_args<stored>{.options = o,
                                               .rows = rows,
                                               .channels = channels,
                                               .x = at(x),
                                               .gamma = at(g),
                                               .beta = at(b),
                                               .y = at(y),
                                               .mean = at(mean),
                                               .inverse = at(inverse)};
              });
}
RIDGEPOINT_DEFINITION void layer_norm::backward(lowering& to) const {
  const index_t channels = to.input_shape()[-1], rows = to.input_shape().size() / channels;
  detail::lower_normalisation_backward(to, layer_norm_backward_args<stored>{.rows = rows, .channels = channels}, rows);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

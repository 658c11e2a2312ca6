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
  const layer_norm_args<stored> args{.options = {.epsilon = epsilon}, .rows = rows, .channels = channels};
  detail::lower_normalisation_forward(to, args, rows);
}
RIDGEPOINT_DEFINITION void layer_norm::backward(lowering& to) const {
  const index_t channels = to.input_shape()[-1], rows = to.input_shape().size() / channels;
  detail::lower_normalisation_backward(to, layer_norm_backward_args<stored>{.rows = rows, .channels = channels}, rows);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

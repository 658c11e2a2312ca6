// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/normalisation.hpp>
#include <ridgepoint/ops/group_norm.hpp>
#include <ridgepoint/ops/layer_norm.hpp>
#include <ridgepoint/ops/rms_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape batch_norm::output(const shape& in) const {
  require<shape_error>(in.rank() > 0, "batch_norm: input is a scalar; must have at least 1 extent");
  detail::check_batch_norm<double>(name, 1, in[-1], options());
  return in;
}
RIDGEPOINT_DEFINITION std::vector<parameter> batch_norm::parameters(const shape& in) const {
  std::vector<parameter> all = detail::scale_and_shift(in, gamma);
  const shape each{in[-1]};
  all.push_back({.name = "moving_mean", .extents = each, .trainable = false});
  all.push_back(
      {.name = "moving_variance", .extents = each, .initial = ones, .trainable = false, .non_negative = true});
  return all;
}
RIDGEPOINT_DEFINITION void batch_norm::forward(lowering& to) const {
  const index_t channels = to.input_shape()[-1], rows = to.input_shape().size() / channels;
  const slot x = to.input(), y = to.output(), g = to.parameter(0), b = to.parameter(1);
  const slot moving_mean = to.parameter(2), moving_variance = to.parameter(3);
  if (!to.training()) {
    to.add_call({.shape = to_string(to.input_shape())}, [=, o = options()](const addresses& at) {
      return batch_norm_inference_args<stored>{.options = o,
                                               .rows = rows,
                                               .channels = channels,
                                               .x = at(x),
                                               .gamma = at(g),
                                               .beta = at(b),
                                               .mean = at(moving_mean),
                                               .variance = at(moving_variance),
                                               .y = at(y)};
    });
    return;
  }
  const slot mean = to.saved(0, channels), inverse = to.saved(1, channels);
  const bool moves = !to.is_frozen(2) && !to.is_frozen(3);
  const slot to_mean = moves ? moving_mean : slot{}, to_variance = moves ? moving_variance : slot{};
  to.add_call({.shape = to_string(to.input_shape())}, [=, o = options()](const addresses& at) {
    return batch_norm_args<stored>{.options = o,
                                   .rows = rows,
                                   .channels = channels,
                                   .x = at(x),
                                   .gamma = at(g),
                                   .beta = at(b),
                                   .y = at(y),
                                   .mean = at(mean),
                                   .inverse = at(inverse),
                                   .moving_mean = at(to_mean),
                                   .moving_variance = at(to_variance)};
  });
}
RIDGEPOINT_DEFINITION void batch_norm::backward(lowering& to) const {
  const index_t channels = to.input_shape()[-1], rows = to.input_shape().size() / channels;
  detail::lower_normalisation_backward(to, batch_norm_backward_args<stored>{.rows = rows, .channels = channels},
                                       channels);
}

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

RIDGEPOINT_DEFINITION shape rms_norm::output(const shape& in) const {
  require<shape_error>(in.rank() > 0, "rms_norm: input is a scalar; must have at least 1 extent");
  detail::check_epsilon<double>(name, epsilon);
  return in;
}
RIDGEPOINT_DEFINITION std::vector<parameter> rms_norm::parameters(const shape& in) const {
  return {{.name = "gamma", .extents = {in[-1]}, .initial = gamma}};
}
RIDGEPOINT_DEFINITION void rms_norm::forward(lowering& to) const {
  const index_t channels = to.input_shape()[-1], rows = to.input_shape().size() / channels;
  const rms_norm_args<stored> args{.options = {.epsilon = epsilon}, .rows = rows, .channels = channels};
  detail::lower_normalisation_forward(to, args, rows);
}
RIDGEPOINT_DEFINITION void rms_norm::backward(lowering& to) const {
  const index_t channels = to.input_shape()[-1], rows = to.input_shape().size() / channels;
  detail::lower_normalisation_backward(to, rms_norm_backward_args<stored>{.rows = rows, .channels = channels}, rows);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

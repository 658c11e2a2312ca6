// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/normalisation.hpp>
#include <ridgepoint/ops/layer_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Layer normalisation along the innermost extent: y = (x − mean)/√(variance + ε)·gamma + beta with the mean and
/// variance of each row, in training and inference alike.
struct layer_norm {
  static constexpr std::string_view name = "layer_norm";
  static constexpr bool wide = true;  // its statistics must not be rounded
  double epsilon = 1e-3;
  initialiser gamma = ones;  // zeros: a residual branch that starts as nothing

  /// Throws: shape_error for an input without extents; value_error for an ε out of range.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;
};
#if RIDGEPOINT_DEFINES
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
  to.emit({.shape = to_string(to.input_shape())}, [=, o = layer_norm_options{.epsilon = epsilon}](const addresses& at) {
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
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::layer_norm>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/ops/batch_norm.hpp>

// Common part of the normalisation layers.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns gamma and beta, the first two parameters.
[[nodiscard]] inline std::vector<parameter> scale_and_shift(const shape& in, const initialiser& gamma) {
  const shape each{in[-1]};
  return {{.name = "gamma", .extents = each, .initial = gamma}, {.name = "beta", .extents = each}};
}

/// Emits the forward pass of a layer that in training saves `kept` inverse deviations and, if the op has one, means;
/// `args` has the rest.
template <class Args>
void lower_normalisation_forward(lowering& to, const Args& args, index_t kept) {
  constexpr bool has_mean = requires { args.mean; };  // and beta
  const slot x = to.input(), y = to.output(), g = to.parameter(0), b = has_mean ? to.parameter(1) : slot{};
  const slot mean = has_mean && to.training() ? to.saved(0, kept) : slot{},
             inverse = to.training() ? to.saved(has_mean ? 1 : 0, kept) : slot{};
  to.add_call({.shape = to_string(to.input_shape())}, [=](const addresses& at) {
    Args a = args;
    a.x = at(x), a.gamma = at(g), a.y = at(y), a.inverse = at(inverse);
    if constexpr (has_mean) a.beta = at(b), a.mean = at(mean);
    return a;
  });
}

/// Emits the backward pass of a layer that saved `kept` inverse deviations and, if the op has one, means; `args` has
/// the extents.
template <class Args>
void lower_normalisation_backward(lowering& to, const Args& args, index_t kept) {
  constexpr bool has_mean = requires { args.mean; };  // and dbeta
  const slot x = to.input(), g = to.parameter(0), dy = to.output_gradient();
  const slot mean = has_mean ? to.saved(0, kept) : slot{}, inverse = to.saved(has_mean ? 1 : 0, kept);
  const slot dgamma = to.parameter_gradient(0), dbeta = has_mean ? to.parameter_gradient(1) : slot{};
  const slot dx = to.needs_input_gradient() ? to.input_gradient() : slot{};
  to.add_call({.shape = to_string(to.input_shape())}, [=](const addresses& at) {
    Args a = args;
    a.x = at(x), a.gamma = at(g), a.inverse = at(inverse), a.dy = at(dy), a.dx = at(dx), a.dgamma = at(dgamma);
    if constexpr (has_mean) a.mean = at(mean), a.dbeta = at(dbeta);
    return a;
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Batch normalisation along the innermost extent: y = (x − mean)/√(variance + ε)·gamma + beta.
///
/// In training, the mean and variance of the batch are used, and they update the moving ones; otherwise the moving ones
/// are used. A frozen group that names a moving one, such as "batch_norm_1.*", stops the update of both; training still
/// uses the statistics of the batch.
struct batch_norm {
  static constexpr std::string_view name = "batch_norm";
  static constexpr bool wide = true;  // its statistics must not be rounded
  double epsilon = 1e-3;
  double momentum = 0.99;    // share of a moving statistic that is kept
  initialiser gamma = ones;  // zeros: the residual block starts as the identity

  /// Throws: shape_error for an input without extents; value_error for an ε or a momentum out of range.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] batch_norm_options options() const noexcept { return {.epsilon = epsilon, .momentum = momentum}; }
};

/// Group normalisation of (…, channels): y = (x − mean)/√(variance + ε)·gamma + beta with the mean and variance of a
/// group of neighbouring channels of each sample, in both training and inference.
struct group_norm {
  static constexpr std::string_view name = "group_norm";
  static constexpr bool wide = true;  // its statistics must not be rounded
  index_t groups = 32;
  double epsilon = 1e-3;
  initialiser gamma = ones;  // zeros: the residual block starts as the identity

  /// Throws: shape_error for an input without extents, or groups that do not divide its channels; value_error for an ε
  /// out of range.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

/// Layer normalisation along the innermost extent: y = (x − mean)/√(variance + ε)·gamma + beta with the mean and
/// variance of each row, in both training and inference.
struct layer_norm {
  static constexpr std::string_view name = "layer_norm";
  static constexpr bool wide = true;  // its statistics must not be rounded
  double epsilon = 1e-3;
  initialiser gamma = ones;  // zeros: the residual block starts as the identity

  /// Throws: shape_error for an input without extents; value_error for an ε out of range.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

/// Root mean square normalisation along the innermost extent: y = x/√(mean of x² + ε)·gamma with the mean of each row,
/// in both training and inference.
struct rms_norm {
  static constexpr std::string_view name = "rms_norm";
  static constexpr bool wide = true;  // its statistics must not be rounded
  double epsilon = 1e-6;
  initialiser gamma = ones;  // zeros: the residual block starts as the identity

  /// Throws: shape_error for an input without extents; value_error for an ε out of range.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::batch_norm>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::group_norm>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::layer_norm>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::rms_norm>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/normalisation-inl.hpp>
#endif

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/normalisation.hpp>

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::layer_norm>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/layer_norm-inl.hpp>
#endif

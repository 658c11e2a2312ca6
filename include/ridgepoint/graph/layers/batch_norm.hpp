// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/normalisation.hpp>
#include <ridgepoint/ops/batch_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Batch normalisation along the innermost extent: y = (x − mean)/√(variance + ε)·gamma + beta.
///
/// While training, mean and variance are the batch's, and moving ones follow them; else the moving ones are used. A
/// frozen group that names a moving one, such as "batch_norm_1.*", stops both.
struct batch_norm {
  static constexpr std::string_view name = "batch_norm";
  static constexpr bool wide = true;  // its statistics must not be rounded
  double epsilon = 1e-3;
  double momentum = 0.99;    // share of a moving statistic that stays
  initialiser gamma = ones;  // zeros: a residual branch that starts as nothing

  /// Throws: shape_error for an input without extents; value_error for an ε or a momentum out of range.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] batch_norm_options options() const noexcept { return {.epsilon = epsilon, .momentum = momentum}; }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::batch_norm>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/batch_norm-inl.hpp>
#endif

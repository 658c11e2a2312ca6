// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/normalisation.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Group normalisation of (…, channels): y = (x − mean)/√(variance + ε)·gamma + beta with the mean and variance of a
/// group of neighbouring channels of each sample, in training and inference alike.
struct group_norm {
  static constexpr std::string_view name = "group_norm";
  static constexpr bool wide = true;  // its statistics must not be rounded
  index_t groups = 32;
  double epsilon = 1e-3;
  initialiser gamma = ones;  // zeros: a residual branch that starts as nothing

  /// Throws: shape_error for an input without extents, or groups that do not divide its channels; value_error for an ε
  /// out of range.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::group_norm>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/group_norm-inl.hpp>
#endif

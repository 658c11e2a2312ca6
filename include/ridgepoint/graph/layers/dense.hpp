// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/elementwise.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Fully connected: y = f(x·w + b), (in) → (units), or (t, in) → (t, units) at every step of a sequence, as Keras's
/// TimeDistributed(Dense); w is (in, units). Flatten images first.
///
/// A relu, relu6, sigmoid or tanh that follows is fused if nothing else reads x·w + b.
struct dense {
  static constexpr std::string_view name = "dense";
  index_t units = 0;  // required
  bool bias = true;
  ridgepoint::activation act = ridgepoint::activation::none;  // a fusable one
  [[no_unique_address]] named_act activation = {};
  initialiser initial = glorot_uniform;  // of w
  initialiser initial_bias = zeros;

  /// Throws: shape_error for no units or an input that is neither features nor a sequence.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;
  /// Returns this layer fused with the activation that follows, if gemm supports it.
  [[nodiscard]] std::optional<any_layer> absorb(const any_layer& next) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::dense>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/dense-inl.hpp>
#endif

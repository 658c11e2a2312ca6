// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Probabilities along the innermost extent, for inference. To train, give the logits to nn::softmax_cross_entropy,
/// which is exact where a softmax followed by a logarithm is not.
struct softmax {
  static constexpr std::string_view name = "softmax";

  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering&) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::softmax>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/softmax-inl.hpp>
#endif

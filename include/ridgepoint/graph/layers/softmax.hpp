// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/ops/softmax.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Probabilities along the innermost extent, for inference. To train, give the logits to nn::softmax_cross_entropy,
/// which is exact where a softmax followed by a logarithm is not.
struct softmax {
  static constexpr std::string_view name = "softmax";

  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering&) const;
};
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape softmax::output(const shape& in) const { return in; }
RIDGEPOINT_DEFINITION void softmax::forward(lowering& to) const {
  const index_t cols = to.output_shape()[-1], rows = to.output_shape().size() / cols;
  const slot x = to.input(), y = to.output();
  to.emit({.shape = to_string(to.output_shape())}, [=](const addresses& at) {
    return softmax_args<stored>{.x = {at(x), rows, cols}, .y = {at(y), rows, cols}};
  });
}
RIDGEPOINT_DEFINITION void softmax::backward(lowering&) const {
  throw unsupported("softmax: has no backward pass; train its input with nn::softmax_cross_entropy");
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::softmax>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif

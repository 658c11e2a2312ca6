// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// While training, drops each element with probability `rate` and scales the others by 1/(1 − rate); else y = x and
/// costs nothing. The backward pass computes the mask again from its counter instead of reading it back.
///
/// With shared_steps all steps of a sequence (t, features) lose the same features: before a recurrent layer it is what
/// Keras calls dropout of SimpleRNN, LSTM and GRU.
/// Example: x | nn::dropout{.rate = 0.2F, .shared_steps = true} | nn::lstm{.units = 256}
struct dropout {
  static constexpr std::string_view name = "dropout";
  float rate = 0.5F;  // 0 ≤ rate < 1
  bool shared_steps = false;

  /// Throws: value_error unless 0 <= rate < 1; shape_error for steps of what is no sequence.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] bool idle(const lowering& to) const;
  void emit_mask(lowering& to, slot src, slot dst) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::dropout>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/dropout-inl.hpp>
#endif

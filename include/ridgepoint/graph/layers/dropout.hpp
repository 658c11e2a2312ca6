// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/ops/dropout.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// While training, drops each element with probability `rate` and scales the others by 1/(1 − rate); else y = x and
/// costs nothing. The backward pass computes the mask again from its counter instead of reading it back.
struct dropout {
  static constexpr std::string_view name = "dropout";
  float rate = 0.5F;  // 0 ≤ rate < 1

  /// Throws: value_error unless 0 <= rate < 1.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] bool idle(const lowering& to) const;
  void emit_mask(lowering& to, slot src, slot dst) const;
};
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape dropout::output(const shape& in) const {
  require<value_error>(rate >= 0 && rate < 1, "dropout: rate is ", rate, "; must be >= 0 and < 1");
  return in;
}
RIDGEPOINT_DEFINITION void dropout::forward(lowering& to) const {
  if (idle(to)) return to.output_is(to.input());
  emit_mask(to, to.input(), to.output());
}
RIDGEPOINT_DEFINITION void dropout::backward(lowering& to) const {
  if (!to.needs_input_gradient()) return;
  if (idle(to)) return to.input_gradient_is(0, to.output_gradient());
  emit_mask(to, to.output_gradient(), to.input_gradient());
}
RIDGEPOINT_DEFINITION bool dropout::idle(const lowering& to) const { return !to.training() || rate <= 0; }
RIDGEPOINT_DEFINITION void dropout::emit_mask(lowering& to, slot src, slot dst) const {
  to.emit({.shape = to_string(to.output_shape())}, [=, share = rate, size = to.output_shape().size(), seed = to.seed(),
                                                    stream = to.stream(), state = to.state()](const addresses& at) {
    return dropout_args<stored>{
        .size = size, .x = at(src), .y = at(dst), .rate = share, .seed = seed, .stream = stream, .state = at(state)};
  });
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::dropout>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/ops/dropout.hpp>

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
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape dropout::output(const shape& in) const {
  require<value_error>(rate >= 0 && rate < 1, "dropout: rate is ", rate, "; must be >= 0 and < 1");
  require<shape_error>(!shared_steps || in.rank() == 2, "dropout: input is ", in,
                       "; must be steps x features, to share a mask among its steps");
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
  const shape& all = to.output_shape();
  const index_t steps = shared_steps ? all[1] : 1, width = shared_steps ? all[2] : 0;
  to.emit({.shape = to_string(all)}, [=, share = rate, size = all.size(), seed = to.seed(), stream = to.stream(),
                                      state = to.state()](const addresses& at) {
    return dropout_args<stored>{.size = size,
                                .x = at(src),
                                .y = at(dst),
                                .rate = share,
                                .seed = seed,
                                .stream = stream,
                                .state = at(state),
                                .steps = steps,
                                .width = width};
  });
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::dropout>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif

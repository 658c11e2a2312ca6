// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/dropout.hpp>
#include <ridgepoint/ops/dropout.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

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
  to.add_call({.shape = to_string(all)}, [=, share = static_cast<double>(rate), size = all.size(), seed = to.seed(),
                                          stream = to.stream(), state = to.state()](const addresses& at) {
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

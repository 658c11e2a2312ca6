// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/sinusoidal_positions.hpp>
#include <ridgepoint/ops/positions.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape sinusoidal_positions::output(const shape& in) const {
  require<shape_error>(in.rank() == 2, "sinusoidal_positions: input is ", in, "; must be steps x features");
  return in;
}
RIDGEPOINT_DEFINITION void sinusoidal_positions::forward(lowering& to) const {
  const shape& in = to.input_shape();
  const slot x = to.input(), y = to.output();
  to.add_call(
      {.shape = to_string(in)}, [=, n = in[0], steps = in[1], width = in[2], s = scale_of(in)](const addresses& at) {
        return positions_args<stored>{.n = n, .steps = steps, .width = width, .scale = s, .x = at(x), .y = at(y)};
      });
}
RIDGEPOINT_DEFINITION void sinusoidal_positions::backward(lowering& to) const {
  if (!to.needs_input_gradient()) return;
  const shape& in = to.input_shape();
  const slot dy = to.output_gradient(), dx = to.input_gradient();
  to.add_call({.shape = to_string(in)}, [=, size = in.size(), s = scale_of(in)](const addresses& at) {
    return positions_backward_args<stored>{.size = size, .scale = s, .dy = at(dy), .dx = at(dx)};
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

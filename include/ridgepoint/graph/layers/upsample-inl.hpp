// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/upsample.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape upsample::output(const shape& in) const {
  detail::check_image(name, in);
  detail::check_upsampling(name, in[0], in[1], in[2], {.factor = factor, .how = how});
  return {factor.h * in[0], factor.w * in[1], in[2]};
}
RIDGEPOINT_DEFINITION void upsample::forward(lowering& to) const {
  const shape in = to.input_shape();
  const slot x = to.input(), y = to.output();
  to.add_call({.shape = concat(in, " to ", to.output_shape())}, [=, o = upsample_options{.factor = factor, .how = how}](
                                                                    const addresses& at) {
    return upsample_args<stored>{.options = o, .n = in[0], .h = in[1], .w = in[2], .c = in[3], .x = at(x), .y = at(y)};
  });
}
RIDGEPOINT_DEFINITION void upsample::backward(lowering& to) const {
  if (!to.needs_input_gradient()) return;
  const shape in = to.input_shape();
  const slot dy = to.output_gradient(), dx = to.input_gradient();
  to.add_call({.shape = concat(in, " of ", to.output_shape())},
              [=, o = upsample_options{.factor = factor, .how = how}](const addresses& at) {
                return upsample_backward_args<stored>{
                    .options = o, .n = in[0], .h = in[1], .w = in[2], .c = in[3], .dy = at(dy), .dx = at(dx)};
              });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

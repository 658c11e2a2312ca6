// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/flatten.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape flatten::output(const shape& in) const { return {in.size()}; }
RIDGEPOINT_DEFINITION void flatten::forward(lowering& to) const { to.output_is(to.input()); }
RIDGEPOINT_DEFINITION void flatten::backward(lowering& to) const {
  if (to.needs_input_gradient()) to.input_gradient_is(0, to.output_gradient());
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/reshape.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape reshape::output(const shape& in) const {
  require<shape_error>(in.size() == extents.size(), "reshape: extents are ", extents, ", ", extents.size(),
                       " values; must have the ", in.size(), " of the input ", in);
  require<shape_error>(extents.rank() < shape::max_rank, "reshape: extents are ", extents, "; must be at most ",
                       shape::max_rank - 1);
  return extents;
}
RIDGEPOINT_DEFINITION void reshape::forward(lowering& to) const { to.output_is(to.input()); }
RIDGEPOINT_DEFINITION void reshape::backward(lowering& to) const {
  if (to.needs_input_gradient()) to.input_gradient_is(0, to.output_gradient());
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

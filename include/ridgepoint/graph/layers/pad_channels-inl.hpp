// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/pad_channels.hpp>
#include <ridgepoint/ops/pad_channels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape pad_channels::output(const shape& in) const {
  require<shape_error>(before >= 0 && after >= 0, "pad_channels: ", before, " before and ", after,
                       " after; must be >= 0");
  require<shape_error>(in.rank() > 0, "pad_channels: input is a scalar; must have at least 1 extent");
  index_t extents[shape::max_rank] = {};
  std::copy(in.begin(), in.end(), extents);
  extents[in.rank() - 1] = checked_add(checked_add(before, in[-1]), after);
  return {extents, extents + in.rank()};
}
RIDGEPOINT_DEFINITION void pad_channels::forward(lowering& to) const {
  const index_t narrow = to.input_shape()[-1], wide = to.output_shape()[-1], rows = to.input_shape().size() / narrow;
  const slot x = to.input(), y = to.output();
  to.add_call({.shape = concat(to.input_shape(), " to ", wide)}, [=, first = before](const addresses& at) {
    return pad_channels_args<stored>{.before = first, .x = {at(x), rows, narrow}, .y = {at(y), rows, wide}};
  });
}
RIDGEPOINT_DEFINITION void pad_channels::backward(lowering& to) const {
  if (!to.needs_input_gradient()) return;
  const index_t narrow = to.input_shape()[-1], wide = to.output_shape()[-1], rows = to.input_shape().size() / narrow;
  const slot dy = to.output_gradient(), dx = to.input_gradient();
  to.add_call({.shape = concat(to.input_shape(), " of ", wide)}, [=, first = before](const addresses& at) {
    return pad_channels_backward_args<stored>{
        .before = first, .dy = {at(dy), rows, wide}, .dx = {at(dx), rows, narrow}};
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

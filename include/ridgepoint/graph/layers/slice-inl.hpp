// SPDX-License-Identifier: MIT
#pragma once

#include <numeric>

#include <ridgepoint/graph/layers/slice.hpp>
#include <ridgepoint/ops/pad_channels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape slice::output(const shape& in) const {
  const int at = axis_of(in);
  require<shape_error>(at >= 0 && at < in.rank(), "slice: axis is ", axis, " of ", in, "; must be one of its ",
                       in.rank());
  const index_t extent = in[at];
  require<shape_error>(first >= 0 && count >= 1 && count <= extent && first <= extent - count, "slice: ", count,
                       " from ", first, " on, of ", extent, " along axis ", at, " of ", in, "; must fit");
  index_t extents[shape::max_rank] = {};
  std::copy(in.begin(), in.end(), extents);
  extents[at] = count;
  return {extents, extents + in.rank()};
}
RIDGEPOINT_DEFINITION slice::columns slice::columns_of(const lowering& to) const {
  const shape& in = to.input_shape();
  const int at = axis < 0 ? axis_of(in) : axis + 1;  // behind the batch
  const index_t together = std::accumulate(in.begin() + at + 1, in.end(), index_t{1}, std::multiplies{});
  const index_t wide = in[at] * together;
  return {.rows = in.size() / wide, .wide = wide, .before = first * together, .narrow = count * together};
}
RIDGEPOINT_DEFINITION void slice::forward(lowering& to) const {
  const columns c = columns_of(to);
  const slot x = to.input(), y = to.output();
  to.add_call({.shape = concat(to.output_shape(), " of ", to.input_shape())}, [=](const addresses& at) {
    return pad_channels_backward_args<stored>{
        .before = c.before, .dy = {at(x), c.rows, c.wide}, .dx = {at(y), c.rows, c.narrow}};
  });
}
RIDGEPOINT_DEFINITION void slice::backward(lowering& to) const {
  if (!to.needs_input_gradient()) return;
  const columns c = columns_of(to);
  const slot dy = to.output_gradient(), dx = to.input_gradient();
  to.add_call({.shape = concat(to.output_shape(), " to ", to.input_shape())}, [=](const addresses& at) {
    return pad_channels_args<stored>{
        .before = c.before, .x = {at(dy), c.rows, c.narrow}, .y = {at(dx), c.rows, c.wide}};
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

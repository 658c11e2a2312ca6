// SPDX-License-Identifier: MIT
#pragma once

#include <numeric>

#include <ridgepoint/graph/layers/shapes.hpp>
#include <ridgepoint/ops/concat_channels.hpp>
#include <ridgepoint/ops/pad_channels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape flatten::output(const shape& in) const { return {in.size()}; }
RIDGEPOINT_DEFINITION void flatten::forward(lowering& to) const { to.output_is(to.input()); }
RIDGEPOINT_DEFINITION void flatten::backward(lowering& to) const {
  if (to.needs_input_gradient()) to.input_gradient_is(0, to.output_gradient());
}

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
  const int at = axis < 0 ? axis_of(in) : axis + 1;  // the batch is axis 0
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

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace nn {

RIDGEPOINT_DEFINITION shape concat_channels::output(std::span<const shape> in) const {
  require<shape_error>(in.size() == 2, "concat_channels: has ", in.size(), " inputs; must have 2");
  const shape &a = in[0], &b = in[1];
  const bool suit = a.rank() > 0 && a.rank() == b.rank() && std::equal(a.begin(), a.end() - 1, b.begin());
  require<shape_error>(suit, "concat_channels: a is ", a, " but b is ", b, "; must differ in the last extent only");
  index_t extents[shape::max_rank] = {};
  std::copy(a.begin(), a.end(), extents);
  extents[a.rank() - 1] = checked_add(a[-1], b[-1]);
  return {extents, extents + a.rank()};
}
RIDGEPOINT_DEFINITION void concat_channels::forward(lowering& to) const {
  const index_t first = to.input_shape(0)[-1], second = to.input_shape(1)[-1], all = first + second;
  const index_t rows = to.output_shape().size() / all;
  const slot a = to.input(0), b = to.input(1), y = to.output();
  to.add_call({.shape = concat(rows, "x(", first, '+', second, ')')}, [=](const addresses& at) {
    return concat_channels_args<stored>{.a = {at(a), rows, first}, .b = {at(b), rows, second}, .y = {at(y), rows, all}};
  });
}
RIDGEPOINT_DEFINITION void concat_channels::backward(lowering& to) const {
  const index_t all = to.output_shape()[-1], rows = to.output_shape().size() / all;
  const slot dy = to.output_gradient();
  for (const std::size_t i : {0U, 1U}) {
    if (!to.needs_input_gradient(i)) continue;
    const slot dx = to.input_gradient(i);
    const index_t before = i == 0 ? 0 : to.input_shape(0)[-1], channels = to.input_shape(i)[-1];
    to.add_call({.shape = concat(rows, 'x', channels, " of ", all)}, [=](const addresses& at) {
      return pad_channels_backward_args<stored>{
          .before = before, .dy = {at(dy), rows, all}, .dx = {at(dx), rows, channels}};
    });
  }
}

}  // namespace nn

RIDGEPOINT_DEFINITION node concat_channels(const node& a, const node& b) {
  const node inputs[] = {a, b};
  return apply(any_layer(nn::concat_channels{}), inputs);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/concat_channels.hpp>
#include <ridgepoint/ops/concat_channels.hpp>
#include <ridgepoint/ops/pad_channels.hpp>

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

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/bidirectional.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/concat_channels.hpp>
#include <ridgepoint/ops/pad_channels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

RIDGEPOINT_DEFINITION void merged_slots::merge(lowering& to, merge_rule rule) const {
  const values_of first = half(to, 0), second = half(to, 1);
  const slot y = to.output();
  const std::string text = to_string(to.output_shape());
  if (rule == merge_rule::sum)
    to.add_call({.shape = text}, [=, size = rows * units](const addresses& at) {
      return add_args<stored>{.size = size, .a = first.at(at), .b = second.at(at), .y = at(y)};
    });
  else if (rule == merge_rule::average)
    to.add_call({.shape = text}, [=, x = both, g = column()](const addresses& at) {
      return avg_pool2d_args<stored>{.geometry = g, .x = at(x), .y = at(y)};
    });
  else
    to.add_call({.shape = text}, [=, r = rows, u = units](const addresses& at) {
      return concat_channels_args<stored>{
          .a = {first.at(at), r, u}, .b = {second.at(at), r, u}, .y = {at(y), r, 2 * u}};
    });
}
RIDGEPOINT_DEFINITION void merged_slots::take_apart(lowering& to, merge_rule rule) const {
  const slot dy = to.output_gradient();
  const std::string text = to_string(to.output_shape());
  if (rule == merge_rule::average) {
    to.add_call({.shape = text}, [=, dx = both, g = column()](const addresses& at) {
      return avg_pool2d_backward_args<stored>{.geometry = g, .dy = at(dy), .dx = at(dx)};
    });
    return;
  }
  for (const std::size_t i : {0U, 1U})
    to.add_call({.shape = text}, [=, dx = half(to, i), r = rows, u = units,
                                  before = static_cast<index_t>(i) * units](const addresses& at) {
      return pad_channels_backward_args<stored>{.before = before, .dy = {at(dy), r, 2 * u}, .dx = {dx.at(at), r, u}};
    });
}

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

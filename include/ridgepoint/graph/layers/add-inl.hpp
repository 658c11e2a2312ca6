// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/add.hpp>
#include <ridgepoint/ops/add.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace nn {

RIDGEPOINT_DEFINITION shape add::output(std::span<const shape> in) const {
  require<shape_error>(in.size() == 2, "add: has ", in.size(), " inputs; must have 2");
  require<shape_error>(in[0] == in[1], "add: a is ", in[0], " but b is ", in[1], "; must be equal");
  return in[0];
}
RIDGEPOINT_DEFINITION void add::forward(lowering& to) const {
  const slot a = to.input(0), b = to.input(1), y = to.output();
  to.add_call({.shape = to_string(to.output_shape())}, [=, size = to.output_shape().size()](const addresses& at) {
    return add_args<stored>{.size = size, .a = at(a), .b = at(b), .y = at(y)};
  });
}
RIDGEPOINT_DEFINITION void add::backward(lowering& to) const {
  for (const std::size_t i : {0U, 1U})
    if (to.needs_input_gradient(i)) to.input_gradient_is(i, to.output_gradient());
}

}  // namespace nn

RIDGEPOINT_DEFINITION node add(const node& a, const node& b) {
  const node inputs[] = {a, b};
  return apply(any_layer(nn::add{}), inputs);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/softmax.hpp>
#include <ridgepoint/ops/softmax.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape softmax::output(const shape& in) const { return in; }
RIDGEPOINT_DEFINITION void softmax::forward(lowering& to) const {
  const index_t cols = to.output_shape()[-1], rows = to.output_shape().size() / cols;
  const slot x = to.input(), y = to.output();
  to.add_call({.shape = to_string(to.output_shape())}, [=](const addresses& at) {
    return softmax_args<stored>{.x = {at(x), rows, cols}, .y = {at(y), rows, cols}};
  });
}
RIDGEPOINT_DEFINITION void softmax::backward(lowering&) const {
  throw unsupported("softmax: has no backward pass; train its input with nn::softmax_cross_entropy");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

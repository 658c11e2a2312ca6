// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/activation.hpp>
#include <ridgepoint/ops/activate.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

RIDGEPOINT_DEFINITION void lower_activation(lowering& to, slot x, activation f, double slope) {
  const index_t size = to.output_shape().size();
  const slot y = to.output();
  to.add_call({.shape = to_string(to.output_shape())}, [=](const addresses& at) {
    return activate_args<stored>{.f = f, .slope = slope, .size = size, .x = at(x), .y = at(y)};
  });
}

RIDGEPOINT_DEFINITION void lower_activation_backward(lowering& to, slot dx, activation f, double slope) {
  const index_t size = to.output_shape().size();
  const slot y = derives_from_input(f) ? to.input() : to.output(), dy = to.output_gradient();
  to.add_call({.shape = concat(to.output_shape(), ' ', to_string(f))}, [=](const addresses& at) {
    return activate_backward_args<stored>{.f = f, .slope = slope, .size = size, .y = at(y), .dy = at(dy), .dx = at(dx)};
  });
}

}  // namespace detail

namespace nn {

RIDGEPOINT_DEFINITION shape leaky_relu::output(const shape& in) const {
  detail::check_slope("leaky_relu", activation::leaky_relu, slope);
  return in;
}
RIDGEPOINT_DEFINITION void leaky_relu::forward(lowering& to) const {
  detail::lower_activation(to, to.input(), activation::leaky_relu, slope);
}
RIDGEPOINT_DEFINITION void leaky_relu::backward(lowering& to) const {
  if (to.needs_input_gradient())
    detail::lower_activation_backward(to, to.input_gradient(), activation::leaky_relu, slope);
}

}  // namespace nn

namespace detail {

RIDGEPOINT_DEFINITION std::optional<activation> fusable_activation(const any_layer& next) {
  if (next.target<nn::relu>()) return activation::relu;
  if (next.target<nn::relu6>()) return activation::relu6;
  if (next.target<nn::sigmoid>()) return activation::sigmoid;
  if (next.target<nn::tanh>()) return activation::tanh;
  return std::nullopt;
}

RIDGEPOINT_DEFINITION slot gradient_before(lowering& to, activation f, double slope) {
  if (f == activation::none) return to.output_gradient();
  const slot dz = to.scratch(to.output_shape().size());
  lower_activation_backward(to, dz, f, slope);
  return dz;
}

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/elementwise.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/dropout.hpp>
#include <ridgepoint/ops/softmax.hpp>

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

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape dropout::output(const shape& in) const {
  require<value_error>(rate >= 0 && rate < 1, "dropout: rate is ", rate, "; must be >= 0 and < 1");
  require<shape_error>(!shared_steps || in.rank() == 2, "dropout: input is ", in,
                       "; must be steps x features, to share a mask among its steps");
  return in;
}
RIDGEPOINT_DEFINITION void dropout::forward(lowering& to) const {
  if (idle(to)) return to.output_is(to.input());
  emit_mask(to, to.input(), to.output());
}
RIDGEPOINT_DEFINITION void dropout::backward(lowering& to) const {
  if (!to.needs_input_gradient()) return;
  if (idle(to)) return to.input_gradient_is(0, to.output_gradient());
  emit_mask(to, to.output_gradient(), to.input_gradient());
}
RIDGEPOINT_DEFINITION bool dropout::idle(const lowering& to) const { return !to.training() || rate <= 0; }
RIDGEPOINT_DEFINITION void dropout::emit_mask(lowering& to, slot src, slot dst) const {
  const shape& all = to.output_shape();
  const index_t steps = shared_steps ? all[1] : 1, width = shared_steps ? all[2] : 0;
  to.add_call({.shape = to_string(all)}, [=, share = static_cast<double>(rate), size = all.size(), seed = to.seed(),
                                          stream = to.stream(), state = to.state()](const addresses& at) {
    return dropout_args<stored>{.size = size,
                                .x = at(src),
                                .y = at(dst),
                                .rate = share,
                                .seed = seed,
                                .stream = stream,
                                .state = at(state),
                                .steps = steps,
                                .width = width};
  });
}

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

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/dense.hpp>
#include <ridgepoint/ops/dense.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape dense::output(const shape& in) const {
  require<shape_error>(units > 0, "dense: units is ", units, "; must be > 0");
  require<shape_error>(in.rank() == 1 || in.rank() == 2, "dense: input is ", in,
                       "; must be features or steps x features: nn::flatten{} makes features of an image, "
                       "nn::conv2d{.kernel = 1} computes each of its pixels");
  return in.rank() == 1 ? shape{units} : shape{in[0], units};
}
RIDGEPOINT_DEFINITION std::vector<parameter> dense::parameters(const shape& in) const {
  std::vector<parameter> all{{.name = "w", .extents = {in[-1], units}, .initial = initial, .fan = {in[-1], units}}};
  if (bias) all.push_back({.name = "b", .extents = {units}, .initial = initial_bias});
  return all;
}
RIDGEPOINT_DEFINITION std::optional<any_layer> dense::absorb(const any_layer& next) const {
  return detail::with_activation(*this, next);
}
RIDGEPOINT_DEFINITION void dense::forward(lowering& to) const {
  const index_t in = to.input_shape()[-1], out = units, n = to.input_shape().size() / in;
  const slot x = to.input(), w = to.parameter(0), b = bias ? to.parameter(1) : slot{}, y = to.output();
  const std::string suffix = act == activation::none ? "" : concat(' ', to_string(act));
  const std::string product = concat(n, 'x', in, " * ", in, 'x', out, suffix);
  to.add_call({.shape = product}, [=, f = act](const addresses& at) {
    return dense_args<stored>{
        .x = {at(x), n, in}, .w = {at(w), in, out}, .bias = at(b), .y = {at(y), n, out}, .act = f};
  });
}
RIDGEPOINT_DEFINITION void dense::backward(lowering& to) const {
  const index_t in = to.input_shape()[-1], out = units, n = to.input_shape().size() / in;
  const slot x = to.input(), w = to.parameter(0), dy = detail::gradient_before(to, act);
  const slot dw = to.parameter_gradient(0), db = bias ? to.parameter_gradient(1) : slot{};
  to.add_call({.pass = pass::backward_weights, .shape = concat(in, 'x', n, " * ", n, 'x', out)},
              [=](const addresses& at) {
                return dense_backward_weights_args<stored>{
                    .x = {at(x), n, in}, .dy = {at(dy), n, out}, .dw = {at(dw), in, out}, .db = at(db)};
              });
  if (!to.needs_input_gradient()) return;
  const slot dx = to.input_gradient();
  to.add_call({.shape = concat(n, 'x', out, " * ", out, 'x', in)}, [=](const addresses& at) {
    return dense_backward_data_args<stored>{.dy = {at(dy), n, out}, .w = {at(w), in, out}, .dx = {at(dx), n, in}};
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

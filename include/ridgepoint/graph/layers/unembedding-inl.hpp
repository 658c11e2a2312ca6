// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/unembedding.hpp>
#include <ridgepoint/ops/dense.hpp>
#include <ridgepoint/ops/embedding_rows.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape unembedding::output(const shape& in) const {
  detail::check_index_limit(name, "vocabulary", vocabulary);
  require<shape_error>(in.rank() == 1 || in.rank() == 2, "unembedding: input is ", in,
                       "; must be features or steps x features");
  return in.rank() == 1 ? shape{vocabulary} : shape{in[0], vocabulary};
}
RIDGEPOINT_DEFINITION std::vector<parameter> unembedding::parameters(const shape& in) const {
  return {{.name = "w", .extents = {vocabulary, in[-1]}, .initial = initial, .fan = {vocabulary, in[-1]}}};
}
/// The passes of a dense layer from the vocabulary to the width, backwards.
RIDGEPOINT_DEFINITION void unembedding::forward(lowering& to) const {
  const index_t width = to.input_shape()[-1], n = to.input_shape().size() / width;
  const slot x = to.input(), w = to.parameter(0), y = to.output();
  to.add_call(
      {.shape = concat(n, 'x', width, " * ", width, 'x', vocabulary)}, [=, v = vocabulary](const addresses& at) {
        return dense_backward_data_args<stored>{.dy = {at(x), n, width}, .w = {at(w), v, width}, .dx = {at(y), n, v}};
      });
}
RIDGEPOINT_DEFINITION void unembedding::backward(lowering& to) const {
  const index_t width = to.input_shape()[-1], n = to.input_shape().size() / width;
  const slot x = to.input(), w = to.parameter(0), dy = to.output_gradient(), dw = to.parameter_gradient(0);
  to.add_call({.pass = pass::backward_weights, .shape = concat(vocabulary, 'x', n, " * ", n, 'x', width)},
              [=, v = vocabulary](const addresses& at) {
                return dense_backward_weights_args<stored>{
                    .x = {at(dy), n, v}, .dy = {at(x), n, width}, .dw = {at(dw), v, width}};
              });
  if (!to.needs_input_gradient()) return;
  const slot dx = to.input_gradient();
  to.add_call({.shape = concat(n, 'x', vocabulary, " * ", vocabulary, 'x', width)},
              [=, v = vocabulary](const addresses& at) {
                return dense_args<stored>{.x = {at(dy), n, v}, .w = {at(w), v, width}, .y = {at(dx), n, width}};
              });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

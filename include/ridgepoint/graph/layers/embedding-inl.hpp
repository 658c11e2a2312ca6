// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/embedding.hpp>
#include <ridgepoint/ops/dense.hpp>
#include <ridgepoint/ops/embedding_rows.hpp>
#include <ridgepoint/ops/positions.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

RIDGEPOINT_DEFINITION shape embedding::output(const shape& in) const {
  require<shape_error>(width > 0, "embedding: width is ", width, "; must be > 0");
  detail::check_index_limit(name, "vocabulary", vocabulary);
  index_t extents[shape::max_rank + 1];
  std::copy(in.begin(), in.end(), extents);
  extents[in.rank()] = width;
  return shape(extents, extents + in.rank() + 1);
}
RIDGEPOINT_DEFINITION std::vector<parameter> embedding::parameters(const shape& in) const {
  return {{.name = "w",
           .extents = {vocabulary, width},
           .initial = initial,
           .fan = {vocabulary, width},
           .looked_up = sparse ? in.size() : 0}};
}
RIDGEPOINT_DEFINITION void embedding::forward(lowering& to) const {
  const index_t tokens = to.input_shape().size();
  const slot ids = to.input(), w = to.parameter(0), y = to.output();
  to.add_call({.shape = concat(tokens, " of ", vocabulary, 'x', width)},
              [=, v = vocabulary, columns = width](const addresses& at) {
                return embedding_args<stored>{
                    .tokens = tokens, .vocabulary = v, .width = columns, .ids = at(ids), .table = at(w), .y = at(y)};
              });
}
RIDGEPOINT_DEFINITION void embedding::backward(lowering& to) const {
  const index_t tokens = to.input_shape().size();
  const slot ids = to.input(), dy = to.output_gradient(), dw = to.parameter_gradient(0), rows = to.gradient_rows(0);
  if (rows.exists())
    return to.add_call({.pass = pass::backward_weights, .shape = concat(tokens, " of ", vocabulary, 'x', width)},
                       [=, v = vocabulary, columns = width](const addresses& at) {
                         return embedding_rows_args<stored>{.tokens = tokens,
                                                            .vocabulary = v,
                                                            .width = columns,
                                                            .ids = at(ids),
                                                            .dy = at(dy),
                                                            .rows = at(rows),
                                                            .sums = at(dw)};
                       });
  to.add_call(
      {.pass = pass::backward_weights, .shape = concat(tokens, " of ", vocabulary, 'x', width)},
      [=, v = vocabulary, columns = width](const addresses& at) {
        return embedding_backward_args<stored>{
            .tokens = tokens, .vocabulary = v, .width = columns, .ids = at(ids), .dy = at(dy), .dtable = at(dw)};
      });
}

RIDGEPOINT_DEFINITION shape unembedding::output(const shape& in) const {
  detail::check_index_limit(name, "vocabulary", vocabulary);
  require<shape_error>(in.rank() == 1 || in.rank() == 2, "unembedding: input is ", in,
                       "; must be features or steps x features");
  return in.rank() == 1 ? shape{vocabulary} : shape{in[0], vocabulary};
}
RIDGEPOINT_DEFINITION std::vector<parameter> unembedding::parameters(const shape& in) const {
  return {{.name = "w", .extents = {vocabulary, in[-1]}, .initial = initial, .fan = {vocabulary, in[-1]}}};
}
/// Runs the passes of a dense layer from vocabulary to width in reverse.
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

RIDGEPOINT_DEFINITION shape sinusoidal_positions::output(const shape& in) const {
  require<shape_error>(in.rank() == 2, "sinusoidal_positions: input is ", in, "; must be steps x features");
  return in;
}
RIDGEPOINT_DEFINITION void sinusoidal_positions::forward(lowering& to) const {
  const shape& in = to.input_shape();
  const slot x = to.input(), y = to.output();
  to.add_call(
      {.shape = to_string(in)}, [=, n = in[0], steps = in[1], width = in[2], s = scale_of(in)](const addresses& at) {
        return positions_args<stored>{.n = n, .steps = steps, .width = width, .scale = s, .x = at(x), .y = at(y)};
      });
}
RIDGEPOINT_DEFINITION void sinusoidal_positions::backward(lowering& to) const {
  if (!to.needs_input_gradient()) return;
  const shape& in = to.input_shape();
  const slot dy = to.output_gradient(), dx = to.input_gradient();
  to.add_call({.shape = to_string(in)}, [=, size = in.size(), s = scale_of(in)](const addresses& at) {
    return positions_backward_args<stored>{.size = size, .scale = s, .dy = at(dy), .dx = at(dx)};
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

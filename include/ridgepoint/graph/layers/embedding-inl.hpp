// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/embedding.hpp>
#include <ridgepoint/ops/embedding_rows.hpp>

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/ops/embedding.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Vectors of tokens: (t) → (t, width); the table w is (vocabulary, width). Tokens are fed as whole numbers in the
/// graph's element type. One that is none in [0, vocabulary) gives NaN.
struct embedding {
  static constexpr std::string_view name = "embedding";
  index_t vocabulary = 0;  // to be given
  index_t width = 0;       // to be given
  initialiser initial = glorot_uniform;

  /// Throws: shape_error for no width; value_error unless 0 < vocabulary < 2³¹.
  [[nodiscard]] shape output(const shape& in) const {
    require<shape_error>(width > 0, "embedding: width is ", width, "; must be > 0");
    detail::check_index_limit(name, "vocabulary", vocabulary);
    index_t extents[shape::max_rank + 1];
    std::copy(in.begin(), in.end(), extents);
    extents[in.rank()] = width;
    return shape(extents, extents + in.rank() + 1);
  }
  [[nodiscard]] std::vector<parameter> parameters(const shape&) const {
    return {{.name = "w", .extents = {vocabulary, width}, .initial = initial, .fan = {vocabulary, width}}};
  }

  template <scalar T>
  void forward(lowering<T>& to) const {
    const index_t tokens = to.input_shape().size();
    const slot<T> x = to.input(), w = to.parameter(0), y = to.output();
    const auto ids = to.template saved<std::int32_t>(0, tokens);
    to.emit({.shape = to_string(to.input_shape())}, [=, limit = vocabulary](const addresses& at) {
      return to_indices_args<T>{.size = tokens, .limit = limit, .x = at(x), .ids = at(ids)};
    });
    to.emit({.shape = concat(tokens, " of ", vocabulary, 'x', width)},
            [=, v = vocabulary, columns = width](const addresses& at) {
              return embedding_args<T>{
                  .tokens = tokens, .vocabulary = v, .width = columns, .ids = at(ids), .table = at(w), .y = at(y)};
            });
  }
  /// Throws: unsupported if something before it wants a gradient: tokens have none.
  template <scalar T>
  void backward(lowering<T>& to) const {
    require<unsupported>(!to.needs_input_gradient(), "embedding: its input depends on a parameter; must be tokens");
    const index_t tokens = to.input_shape().size();
    const slot<T> dy = to.output_gradient(), dw = to.parameter_gradient(0);
    const auto ids = to.template saved<std::int32_t>(0, tokens);
    to.emit({.pass = pass::backward_weights, .shape = concat(tokens, " of ", vocabulary, 'x', width)},
            [=, v = vocabulary, columns = width](const addresses& at) {
              return embedding_backward_args<T>{
                  .tokens = tokens, .vocabulary = v, .width = columns, .ids = at(ids), .dy = at(dy), .dtable = at(dw)};
            });
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::embedding>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/embedding.hpp>
#include <ridgepoint/ops/dense.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// y = x·wᵀ, (width) → (vocabulary), or (t, width) → (t, vocabulary): the logits of tokens, whose vectors are the rows
/// of w as in nn::embedding. Applied with the key of an embedding it shares its table.
/// Example:
///   const auto table = std::make_shared<char>();  // a key: what is applied with it shares parameters
///   auto x = rp::apply(nn::embedding{.vocabulary = 512, .width = 64}, std::array{tokens}, table);
///   auto logits = rp::apply(nn::unembedding{.vocabulary = 512}, std::array{x}, table);
struct unembedding {
  static constexpr std::string_view name = "unembedding";
  index_t vocabulary = 0;  // to be given
  initialiser initial = glorot_uniform;

  /// Throws: shape_error for an input that is neither features nor a sequence; value_error unless 0 < vocabulary < 2³¹.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;
};
#if RIDGEPOINT_DEFINES
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
  to.emit({.shape = concat(n, 'x', width, " * ", width, 'x', vocabulary)}, [=, v = vocabulary](const addresses& at) {
    return dense_backward_data_args<stored>{.dy = {at(x), n, width}, .w = {at(w), v, width}, .dx = {at(y), n, v}};
  });
}
RIDGEPOINT_DEFINITION void unembedding::backward(lowering& to) const {
  const index_t width = to.input_shape()[-1], n = to.input_shape().size() / width;
  const slot x = to.input(), w = to.parameter(0), dy = to.output_gradient(), dw = to.parameter_gradient(0);
  to.emit({.pass = pass::backward_weights, .shape = concat(vocabulary, 'x', n, " * ", n, 'x', width)},
          [=, v = vocabulary](const addresses& at) {
            return dense_backward_weights_args<stored>{
                .x = {at(dy), n, v}, .dy = {at(x), n, width}, .dw = {at(dw), v, width}};
          });
  if (!to.needs_input_gradient()) return;
  const slot dx = to.input_gradient();
  to.emit({.shape = concat(n, 'x', vocabulary, " * ", vocabulary, 'x', width)},
          [=, v = vocabulary](const addresses& at) {
            return dense_args<stored>{.x = {at(dy), n, v}, .w = {at(w), v, width}, .y = {at(dx), n, width}};
          });
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::unembedding>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif

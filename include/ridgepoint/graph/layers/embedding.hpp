// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Vectors of tokens: (t) → (t, width); the table w is (vocabulary, width). The input is of ids; one that is
/// none in [0, vocabulary) gives NaN.
///
/// `sparse`: the gradient is a list of the rows that the batch's tokens point to, and the optimiser updates these
/// alone: a step takes the time of the tokens, not of the vocabulary. SGD without weight decay learns the same; Adam
/// and others with moments, momentum and weight decay leave the rows of other words as they are, as PyTorch's
/// SparseAdam and TensorFlow's LazyAdam do, where the dense update moves them on. In bf16 the table is rounded as a
/// whole all the same, each step.
/// Example: net.input({80}, rp::element::i32) | nn::embedding{.vocabulary = 512, .width = 100}
struct embedding {
  static constexpr std::string_view name = "embedding";
  static constexpr element input_type = element::i32;
  index_t vocabulary = 0;  // to be given
  index_t width = 0;       // to be given
  initialiser initial = glorot_uniform;
  bool sparse = false;

  /// Throws: shape_error for no width; value_error unless 0 < vocabulary < 2³¹.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::embedding>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/embedding-inl.hpp>
#endif

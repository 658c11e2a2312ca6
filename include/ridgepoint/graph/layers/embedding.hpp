// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Vectors of tokens: (t) → (t, width); the table w is (vocabulary, width). The input holds ids; an id outside
/// [0, vocabulary) gives NaN.
///
/// `sparse`: the gradient is a list of the rows of the batch's tokens, and the optimiser updates only these: a step
/// takes time proportional to the tokens, not the vocabulary. SGD without weight decay gives the same result; Adam and
/// others with moments, momentum or weight decay leave other rows unchanged, like PyTorch's SparseAdam and TensorFlow's
/// LazyAdam, while the dense update moves them. In bf16 the whole table is still rounded in each step.
/// Example: net.input({80}, rp::element::i32) | nn::embedding{.vocabulary = 512, .width = 100}
struct embedding {
  static constexpr std::string_view name = "embedding";
  static constexpr element input_type = element::i32;
  index_t vocabulary = 0;  // required
  index_t width = 0;       // required
  initialiser initial = glorot_uniform;
  bool sparse = false;

  /// Throws: shape_error for no width; value_error unless 0 < vocabulary < 2³¹.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

/// y = x·wᵀ, (width) → (vocabulary), or (t, width) → (t, vocabulary): the logits of tokens, with the vectors in the
/// rows of w as in nn::embedding. Applied with the key of an embedding, it shares that table.
/// Example:
///   const auto table = std::make_shared<char>();  // a key: what is applied with it shares parameters
///   auto x = rp::apply(nn::embedding{.vocabulary = 512, .width = 64}, std::array{tokens}, table);
///   auto logits = rp::apply(nn::unembedding{.vocabulary = 512}, std::array{x}, table);
struct unembedding {
  static constexpr std::string_view name = "unembedding";
  index_t vocabulary = 0;  // required
  initialiser initial = glorot_uniform;

  /// Throws: shape_error for an input that is neither features nor a sequence; value_error unless 0 < vocabulary < 2³¹.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

/// y = √width·x + the sinusoids of the steps, (t, width) → (t, width): the positional encoding of a Transformer.
struct sinusoidal_positions {
  static constexpr std::string_view name = "sinusoidal_positions";
  double scale = 0;  // 0: √width

  /// Throws: shape_error for an input that is not a sequence.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
  /// Scale for an input, with or without its batch.
  [[nodiscard]] double scale_of(const shape& in) const {
    return exactly(scale, 0) ? std::sqrt(static_cast<double>(in[-1])) : scale;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::embedding>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::unembedding>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::sinusoidal_positions>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/embedding-inl.hpp>
#endif

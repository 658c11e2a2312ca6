// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/embedding.hpp>

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::unembedding>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/unembedding-inl.hpp>
#endif

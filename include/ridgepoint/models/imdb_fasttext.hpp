// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/models/keras_text.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Study D's imdb_fasttext, Keras' example: 400 tokens → embedding 50 → their mean → the logit of a positive review. Of
/// words alone (ngrams = 1), a vocabulary of 20,000: 1,000,051 parameters. With ngrams = 2 the pairs of words that
/// stand side by side follow with ids above it: how many there are the reviews say, some 1.2 million ids in all;
/// parameters are 50 for each and 51.
///
/// 100 matrix FLOP forward, 300 in training: what takes time is the update of every vector, 28 bytes a parameter.
/// Example: rp::models::imdb_fasttext{.ngrams = 2, .pairs = reviews.vocabulary - 20'001}
struct imdb_fasttext {
  static constexpr std::string_view name = "imdb-fasttext";
  static constexpr index_t batch = 32;
  static constexpr int epochs = 5;
  static constexpr study_texts texts{.from = study_texts::set::reviews};
  using loss = nn::binary_cross_entropy;
  using optimiser = keras_2017_adam;

  text_extents text{.vocabulary = 20'000, .steps = 400};
  index_t ngrams = 1, pairs = 1'179'999;  // the second of ngrams = 2 alone

  static constexpr auto parameters() noexcept {
    using self = imdb_fasttext;
    return std::array<model_parameter<self>, 3>{{text_parameters<self>()[0],
                                                 text_parameters<self>()[1],
                                                 {"ngrams", [](self& m, index_t value) { m.ngrams = value; }}}};
  }
  /// Words, and pairs of them, with the id between that is none.
  [[nodiscard]] constexpr index_t ids() const noexcept { return text.vocabulary + (ngrams == 1 ? 0 : 1 + pairs); }
  /// Throws: value_error unless ngrams is 1 or 2; as the layers do.
  node build(graph& net) const {
    require<value_error>(ngrams == 1 || ngrams == 2, name, ": ngrams is ", ngrams, "; must be 1 or 2");
    return net.input({text.steps}, element::i32) |
           nn::embedding{.vocabulary = ids(), .width = 50, .initial = keras_embedding} | nn::global_avg_pool1d{} |
           nn::dense{.units = 1};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models

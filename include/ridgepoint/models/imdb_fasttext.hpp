// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/models/keras_text.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Study D's imdb_fasttext, Keras' example: 400 tokens → embedding 50 → their mean → the logit of a positive review. Of
/// words alone, a vocabulary of 20,000: 1,000,051 parameters. With bigrams the vocabulary is some 1.2 million, and
/// parameters are 50 for each and 51.
///
/// 100 matrix FLOP forward, 300 in training: what takes time is the update of every vector, 28 bytes a parameter.
/// Example: rp::models::imdb_fasttext{.text = {.vocabulary = 1'200'000, .steps = 400}}
struct imdb_fasttext {
  static constexpr std::string_view name = "imdb-fasttext";
  static constexpr index_t batch = 32;
  static constexpr int epochs = 5;
  using loss = nn::binary_cross_entropy;
  using optimiser = keras_2017_adam;

  text_extents text{.vocabulary = 20'000, .steps = 400};

  static constexpr auto parameters() noexcept { return text_parameters<imdb_fasttext>(); }
  node build(graph& net) const {
    return net.input({text.steps}, element::i32) |
           nn::embedding{.vocabulary = text.vocabulary, .width = 50, .initial = keras_embedding} |
           nn::global_avg_pool1d{} | nn::dense{.units = 1};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models

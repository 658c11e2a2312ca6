// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/models/keras_text.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Study D's imdb_bidirectional_lstm, Keras' example: 100 tokens of 20,000 → embedding 128 → LSTM of 64 units in both
/// directions, side by side → dropout 0.5 → the logit of a positive review; 2,658,945 parameters.
///
/// Per sample 19,661,056 matrix FLOP forward and three times that in training, each of the 100 steps counted. Gates are
/// sigmoids, where Keras had hard ones in 2017.
struct imdb_bidirectional_lstm {
  static constexpr std::string_view name = "imdb-bidirectional-lstm";
  static constexpr index_t batch = 32;
  static constexpr int epochs = 4;
  static constexpr study_texts texts{.from = study_texts::set::reviews};
  using loss = nn::binary_cross_entropy;
  using optimiser = keras_2017_adam;

  text_extents text{.vocabulary = 20'000, .steps = 100};

  static constexpr auto parameters() noexcept { return text_parameters<imdb_bidirectional_lstm>(); }
  node build(graph& net) const {
    return net.input({text.steps}, element::i32) |
           nn::embedding{.vocabulary = text.vocabulary, .width = 128, .initial = keras_embedding} |
           nn::bidirectional<nn::lstm>{.cell = {.units = 64, .recurrent_initial = nn::orthogonal}} |
           nn::dropout{.rate = 0.5F} | nn::dense{.units = 1};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models

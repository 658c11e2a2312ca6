// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/models/keras_text.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// RMSProp as Keras had it in 2017, with a learning rate of 0.01.
struct text_rmsprop : nn::rmsprop_keras {
  constexpr text_rmsprop() noexcept
      : nn::rmsprop_keras{.learning_rate = 0.01, .options = {.rho = 0.9, .epsilon = 1e-8}} {}
};

/// Study D's lstm_text_generation, Keras' example: 40 characters of 57, a one for each among zeros → LSTM of 128 units,
/// the last state → logits of the next one; 102,585 parameters.
///
/// Per sample 7,592,192 matrix FLOP forward, 20,441,856 in training (the layer's input has no gradient, its state has),
/// each of the 40 steps counted. Gates are sigmoids, where Keras had hard ones in 2017.
struct lstm_text_generation {
  static constexpr std::string_view name = "lstm-text-generation";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 10;
  static constexpr study_texts texts{.from = study_texts::set::characters, .given = study_texts::form::one_hot};
  using loss = nn::softmax_cross_entropy;
  using optimiser = text_rmsprop;

  text_extents text{.vocabulary = 57, .steps = 40};

  static constexpr auto parameters() noexcept { return text_parameters<lstm_text_generation>(); }
  node build(graph& net) const {
    return net.input({text.steps, text.vocabulary}) | nn::lstm{.units = 128, .recurrent_initial = nn::orthogonal} |
           nn::dense{.units = text.vocabulary};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models

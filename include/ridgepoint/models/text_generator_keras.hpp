// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/keras_text.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Adam as Keras had it in 2017, with a learning rate of 1e-3 / (1 + 1e-4·step).
struct text_generator_adam : nn::adam {
  constexpr text_generator_adam() noexcept
      : nn::adam{.options = {.epsilon = 1e-8}, .schedule = nn::inverse_time_decay{.decay = 1e-4}} {}
};

/// Study D's text_generator_keras: 40 characters of 57 → embedding 300 → LSTM of 128 units, the last state, from which
/// logits of the next character are made twice: at once, and through 512 and 256 units without bias, each with batch
/// normalisation and ReLU; 456,894 parameters beside 1,536 moving statistics.
///
/// It learns the loss of the second and 0.2 times that of the first. Per sample 17,967,872 matrix FLOP forward and
/// three times that in training, each of the 40 steps counted. Gates are sigmoids, where Keras had hard ones in 2017.
struct text_generator_keras {
  static constexpr std::string_view name = "text-generator-keras";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 10;
  static constexpr study_texts texts{.from = study_texts::set::characters, .losses = 2};
  using loss = nn::softmax_cross_entropy;
  using optimiser = text_generator_adam;

  text_extents text{.vocabulary = 57, .steps = 40};

  static constexpr auto parameters() noexcept { return text_parameters<text_generator_keras>(); }
  /// The logits through both hidden layers, then those made at once.
  [[nodiscard]] std::vector<objective> objectives(graph& net) const {
    const node state = net.input({text.steps}, element::i32) |
                       nn::embedding{.vocabulary = text.vocabulary, .width = 300, .initial = keras_embedding} |
                       nn::lstm{.units = 128, .recurrent_initial = nn::orthogonal};
    const node at_once = state | nn::dense{.units = text.vocabulary};
    node x = state;
    for (const index_t units : {512, 256})
      x = x | nn::dense{.units = units, .bias = false} | nn::batch_norm{} | nn::relu{};
    return {{x | nn::dense{.units = text.vocabulary}, loss{}}, {at_once, loss{}, 0.2}};
  }
  /// The first of them.
  node build(graph& net) const { return objectives(net)[0].output; }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models

// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/schedules.hpp>
#include <ridgepoint/models/paradnn.hpp>
#include <ridgepoint/models/parameters.hpp>
#include <ridgepoint/models/study_texts.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// How ParaDnn trains its recurrent networks: its RMSProp, of whose learning rate 0.9 are left every 10,000 steps,
/// continuously.
struct paradnn_rnn_rmsprop : paradnn_rmsprop {
  constexpr paradnn_rnn_rmsprop() noexcept { schedule = nn::exponential_decay{.every_steps = 10'000, .factor = 0.9}; }
};

enum class paradnn_cell { rnn, gru, lstm };

/// ParaDnn's language model: tokens → embedding (vocabulary, width) → layers × cell of `width` units → logits of the
/// next token at each of `steps` steps.
///
/// With G = 1 (rnn), 3 (gru, reset-before) or 4 (lstm) gates: parameter_count() = V·E + L·G·(2E² + E) + E·V + V; per
/// sample 2·T·(L·G·2E² + E·V) matrix FLOP forward and three times that in training, since every layer's input depends
/// on the embedding. Every step counts in the loss, where ParaDnn leaves out those beyond a random length.
/// Example: rp::models::paradnn_lstm{.layers = 13, .width = 900}.build(net)
template <paradnn_cell Cell>
struct paradnn_recurrent {
  static constexpr std::string_view name = Cell == paradnn_cell::rnn   ? "paradnn-rnn"
                                           : Cell == paradnn_cell::gru ? "paradnn-gru"
                                                                       : "paradnn-lstm";
  static constexpr index_t batch = 64;
  static constexpr int epochs = 1;
  static constexpr index_t gates = Cell == paradnn_cell::rnn ? 1 : Cell == paradnn_cell::gru ? 3 : 4;
  static constexpr study_texts texts{.from = study_texts::set::noise};
  using loss = nn::softmax_cross_entropy;
  using optimiser = paradnn_rnn_rmsprop;

  index_t layers = 5, width = 500, vocabulary = 512, steps = 50;

  static constexpr auto parameters() noexcept {
    using self = paradnn_recurrent;
    return std::array<model_parameter<self>, 4>{{{"layers", [](self& m, index_t value) { m.layers = value; }},
                                                 {"width", [](self& m, index_t value) { m.width = value; }},
                                                 {"vocabulary", [](self& m, index_t value) { m.vocabulary = value; }},
                                                 {"length", [](self& m, index_t value) { m.steps = value; }}}};
  }

  [[nodiscard]] constexpr index_t parameter_count() const noexcept {
    return 2 * vocabulary * width + vocabulary + layers * gates * (2 * width * width + width);
  }

  /// The logits of `steps` tokens.
  /// Throws: value_error for less than one layer or token; shape_error for another extent below one.
  node build(graph& net) const {
    require<value_error>(layers >= 1, name, ": layers is ", layers, "; must be >= 1");
    node x = net.input({steps}, element::i32) | nn::embedding{.vocabulary = vocabulary, .width = width};
    for (index_t layer = 0; layer < layers; ++layer) {
      if constexpr (Cell == paradnn_cell::rnn) x = x | nn::rnn{.units = width, .sequences = true};
      else if constexpr (Cell == paradnn_cell::gru)
        x = x | nn::gru{.units = width, .sequences = true, .gate_bias = nn::ones};
      else x = x | nn::lstm{.units = width, .sequences = true, .forget_bias = nn::zeros};
    }
    return x | nn::dense{.units = vocabulary};
  }
};
using paradnn_rnn = paradnn_recurrent<paradnn_cell::rnn>;
using paradnn_gru = paradnn_recurrent<paradnn_cell::gru>;
using paradnn_lstm = paradnn_recurrent<paradnn_cell::lstm>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/study_images.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// The MNIST LSTM of study A, a digit being a sequence of 28 rows: 3 layers of 256 units, the second and third behind
/// dropout 0.2 with one mask for all rows, of the last of which the last state, 10 logits; 1,345,034 parameters.
///
/// Per sample 75,011,072 matrix FLOP forward, 223,427,584 in training (the first layer's input has no gradient, its
/// state has): each of the 28 steps counts. Recurrent weights start uniform, where Keras has orthogonal ones.
struct mnist_lstm {
  static constexpr std::string_view name = "mnist-lstm";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 1;
  static constexpr study_images images{.from = study_images::set::digits};
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::sgd;  // 0.01: its default

  static node build(graph& net) {
    node x = net.input({28, 28, 1}) | nn::reshape{{28, 28}} | nn::lstm{.units = 256, .sequences = true};
    for (const bool sequences : {true, false})
      x = x | nn::dropout{.rate = 0.2F, .shared_steps = true} | nn::lstm{.units = 256, .sequences = sequences};
    return x | nn::dense{.units = 10};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models

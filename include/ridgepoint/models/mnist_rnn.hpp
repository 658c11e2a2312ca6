// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/study_images.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// The MNIST recurrent network of study A, a digit being a sequence of 28 rows: 3 × (dropout 0.2 with one mask for all
/// rows, tanh layer of 256 units), of the last of which the last state, 10 logits; 338,186 parameters.
///
/// Per sample 18,756,608 matrix FLOP forward, 55,868,416 in training (the first layer's input has no gradient, its
/// state has): each of the 28 steps counts. Recurrent weights start uniform, where Keras has orthogonal ones.
struct mnist_rnn {
  static constexpr std::string_view name = "mnist-rnn";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 1;
  static constexpr study_images images{.from = study_images::set::digits};
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::sgd;  // 0.01: its default

  static node build(graph& net) {
    node x = net.input({28, 28, 1}) | nn::reshape{{28, 28}};
    for (const bool sequences : {true, true, false})
      x = x | nn::dropout{.rate = 0.2F, .shared_steps = true} | nn::rnn{.units = 256, .sequences = sequences};
    return x | nn::dense{.units = 10};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models

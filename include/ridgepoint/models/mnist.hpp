// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/study_data.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// The MNIST autoencoder of study A: dense layers 1 → 32 → 64 on each pixel, 50,176 → 16 → 50,176 on the full image,
/// then 64 → 32 → 64 → 1 on each pixel; all with ReLU except the two on the full image. 1,662,257 parameters.
///
/// Trained to reproduce its input: mean squared error against the input.
/// Per sample 12,995,584 matrix FLOP forward, 38,936,576 in training (the first layer has no backward-data).
struct mnist_autoencoder {
  static constexpr std::string_view name = "mnist-autoencoder";
  static constexpr index_t batch = 32;
  static constexpr int epochs = 1;
  static constexpr study_images images{.from = study_images::set::digits, .made = study_images::change::own_targets};
  using loss = nn::mse;
  using optimiser = nn::adam;  // 1e-3, 0.9, 0.999, 1e-7: the defaults

  static node build(graph& net) {
    constexpr index_t pixels = 28 * 28;
    node x = net.input({28, 28, 1}) | nn::reshape{{pixels, 1}};
    for (const index_t channels : {32, 64}) x = x | nn::dense{.units = channels} | nn::relu{};
    x = x | nn::flatten{} | nn::dense{.units = 16} | nn::dense{.units = pixels * 64} | nn::reshape{{pixels, 64}};
    for (const index_t channels : {32, 64, 1}) x = x | nn::dense{.units = channels} | nn::relu{};
    return x | nn::reshape{{28, 28, 1}};
  }
};

/// The MNIST convolutional network of study A: 3 × (3×3 SAME, 64, ReLU, max-pool 2), 3×3 VALID, 64, ReLU, dropout 0.2,
/// 10 logits; 112,074 parameters.
///
/// Per sample 19,041,536 matrix FLOP forward, 56,221,440 in training (the first layer has no backward-data).
struct mnist_cnn {
  static constexpr std::string_view name = "mnist-cnn";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 10;
  static constexpr study_images images{.from = study_images::set::digits};
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::adam;  // 1e-3, 0.9, 0.999, 1e-7: the defaults

  static node build(graph& net) {
    node x = net.input({28, 28, 1});
    for (int stage = 0; stage < 3; ++stage)
      x = x | nn::conv2d{.filters = 64, .kernel = 3, .padding = nn::same} | nn::relu{} | nn::max_pool{};
    return x | nn::conv2d{.filters = 64, .kernel = 3} | nn::relu{} | nn::flatten{} | nn::dropout{.rate = 0.2F} |
           nn::dense{.units = 10};
  }
};

/// The MNIST LSTM of study A; a digit is a sequence of 28 rows: 3 layers of 256 units, the second and third after
/// dropout 0.2 with one mask for all rows, the last state of the last layer, 10 logits; 1,345,034 parameters.
///
/// Per sample 75,011,072 matrix FLOP forward, 223,427,584 in training (the first layer's input has no gradient, its
/// state has): each of the 28 steps counts. Recurrent weights start orthogonal, as in Keras.
struct mnist_lstm {
  static constexpr std::string_view name = "mnist-lstm";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 1;
  static constexpr study_images images{.from = study_images::set::digits};
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::sgd;  // 0.01: the default

  static node build(graph& net) {
    node x = net.input({28, 28, 1}) | nn::reshape{{28, 28}} |
             nn::lstm{.units = 256, .sequences = true, .recurrent_initial = nn::orthogonal};
    for (const bool sequences : {true, false})
      x = x | nn::dropout{.rate = 0.2F, .shared_steps = true} |
          nn::lstm{.units = 256, .sequences = sequences, .recurrent_initial = nn::orthogonal};
    return x | nn::dense{.units = 10};
  }
};

/// The MNIST multi-layer perceptron of study A: 784 → 4 × (512, ReLU, dropout 0.45) → 10 logits; 1,195,018 parameters.
///
/// Per sample 2,385,920 matrix FLOP forward, 6,354,944 in training (the first layer has no backward-data).
/// Example:
///   rp::graph net("mnist-mlp");
///   const rp::node logits = rp::models::mnist_mlp::build(net);
struct mnist_mlp {
  static constexpr std::string_view name = "mnist-mlp";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 5;
  static constexpr study_images images{.from = study_images::set::digits};
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::adam;  // 1e-3, 0.9, 0.999, 1e-7: the defaults

  static node build(graph& net) {
    node x = net.input({28, 28, 1}) | nn::flatten{};
    for (int hidden = 0; hidden < 4; ++hidden)
      x = x | nn::dense{.units = 512} | nn::relu{} | nn::dropout{.rate = 0.45F};
    return x | nn::dense{.units = 10};
  }
};

/// The MNIST recurrent network of study A; a digit is a sequence of 28 rows: 3 × (dropout 0.2 with one mask for all
/// rows, tanh layer of 256 units), the last state of the last layer, 10 logits; 338,186 parameters.
///
/// Per sample 18,756,608 matrix FLOP forward, 55,868,416 in training (the first layer's input has no gradient, its
/// state has): each of the 28 steps counts. Recurrent weights start orthogonal, as in Keras.
struct mnist_rnn {
  static constexpr std::string_view name = "mnist-rnn";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 1;
  static constexpr study_images images{.from = study_images::set::digits};
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::sgd;  // 0.01: the default

  static node build(graph& net) {
    node x = net.input({28, 28, 1}) | nn::reshape{{28, 28}};
    for (const bool sequences : {true, true, false})
      x = x | nn::dropout{.rate = 0.2F, .shared_steps = true} |
          nn::rnn{.units = 256, .sequences = sequences, .recurrent_initial = nn::orthogonal};
    return x | nn::dense{.units = 10};
  }
};

/// Adadelta of Keras in 2017: learning rate 1, ρ 0.95, ε 1e-8.
struct keras_2017_adadelta : nn::adadelta {
  constexpr keras_2017_adadelta() noexcept : nn::adadelta{.options = {.epsilon = 1e-8}} {}
};

/// The MNIST convolutional network of study D, Keras' example mnist_cnn: 3×3 VALID 32, 3×3 VALID 64, both with ReLU,
/// max-pool 2, dropout 0.25, dense 128 with ReLU, dropout 0.5, 10 logits; 1,199,882 parameters.
///
/// Per sample 23,984,896 matrix FLOP forward, 71,565,312 in training (the first layer has no backward-data).
struct keras_mnist_cnn {
  static constexpr std::string_view name = "keras-mnist-cnn";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 12;
  static constexpr study_images images{.from = study_images::set::digits};
  using loss = nn::softmax_cross_entropy;
  using optimiser = keras_2017_adadelta;

  static node build(graph& net) {
    node x = net.input({28, 28, 1});
    for (const index_t filters : {32, 64}) x = x | nn::conv2d{.filters = filters, .kernel = 3} | nn::relu{};
    x = x | nn::max_pool{} | nn::dropout{.rate = 0.25F} | nn::flatten{};
    return x | nn::dense{.units = 128} | nn::relu{} | nn::dropout{.rate = 0.5F} | nn::dense{.units = 10};
  }
};

/// RMSProp of Keras in 2017: learning rate 1e-3, ρ 0.9, ε 1e-8.
struct keras_2017_rmsprop : nn::rmsprop_keras {
  constexpr keras_2017_rmsprop() noexcept : nn::rmsprop_keras{.options = {.rho = 0.9, .epsilon = 1e-8}} {}
};

/// The MNIST multi-layer perceptron of study D, Keras' example mnist_mlp: 784 → 2 × (512, ReLU, dropout 0.2) → 10
/// logits; 669,706 parameters.
///
/// Per sample 1,337,344 matrix FLOP forward, 3,209,216 in training (the first layer has no backward-data).
struct keras_mnist_mlp {
  static constexpr std::string_view name = "keras-mnist-mlp";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 20;
  static constexpr study_images images{.from = study_images::set::digits};
  using loss = nn::softmax_cross_entropy;
  using optimiser = keras_2017_rmsprop;

  static node build(graph& net) {
    node x = net.input({28, 28, 1}) | nn::flatten{};
    for (int hidden = 0; hidden < 2; ++hidden) x = x | nn::dense{.units = 512} | nn::relu{} | nn::dropout{.rate = 0.2F};
    return x | nn::dense{.units = 10};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models

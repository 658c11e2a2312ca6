// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/study_images.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Adam as study C has it: learning rate 1e-4, ε 1e-8.
struct embryo_adam : nn::adam {
  constexpr embryo_adam() noexcept : nn::adam{.learning_rate = 1e-4, .options = {.epsilon = 1e-8}} {}
};

/// Study C's network, which counts the cells of mouse embryos: 5×5 SAME 32 and 64, each with ReLU and max-pool 2, dense
/// 1024 with ReLU, dropout 0.5, 4 logits; 16,834,436 parameters.
///
/// Weights start from a truncated normal of deviation 0.1, biases at 0.1. An epoch of the study is 100 steps.
/// Per sample 144,973,824 matrix FLOP forward, 428,367,872 in training (the first layer has no backward-data).
struct embryo_cnn {
  static constexpr std::string_view name = "embryo-cnn";
  static constexpr index_t batch = 480;
  static constexpr int epochs = 20;
  static constexpr study_images images{.from = study_images::set::embryos};
  using loss = nn::softmax_cross_entropy;
  using optimiser = embryo_adam;

  static node build(graph& net) {
    node x = net.input({64, 64, 1});
    for (const index_t filters : {32, 64})
      x = x |
          nn::conv2d{.filters = filters, .kernel = 5, .padding = nn::same, .initial = weight, .initial_bias = bias} |
          nn::relu{} | nn::max_pool{.padding = nn::same};
    return x | nn::flatten{} | nn::dense{.units = 1024, .initial = weight, .initial_bias = bias} | nn::relu{} |
           nn::dropout{.rate = 0.5F} | nn::dense{.units = 4, .initial = weight, .initial_bias = bias};
  }

 private:
  static double weight(random_stream& random, fan) { return nn::truncated_normal(random, 0.1); }
  static double bias(random_stream&, fan) { return 0.1; }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models

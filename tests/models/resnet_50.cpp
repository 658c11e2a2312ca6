// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/imagenet.hpp>

#include "counts.hpp"

using ridgepoint::models::resnet_50;

TEST_CASE("the layers of ResNet-50 v1.5 have the published parameters and FLOP: 3x3 convolutions have the strides") {
  layer_counts published{{9'408, 236'027'904}, {128, 0}};
  std::uint64_t in = 64, side = 56, width = 64;
  for (const int blocks : {3, 4, 6, 3}) {
    for (int block = 0; block < blocks; ++block, in = 4 * width) {
      const std::uint64_t before = block == 0 && width > 64 ? 2 * side : side;  // side of the first 1×1
      add_convolution(published, before, 1, in, width);
      add_convolution(published, side, 3, width, width);
      add_convolution(published, side, 1, width, 4 * width);
      if (block == 0) add_convolution(published, side, 1, in, 4 * width);  // the shortcut
    }
    width *= 2, side /= 2;
  }
  published.push_back({2'049'000, 4'096'000});
  CHECK(layers_of(resnet_50{}) == published);
}

TEST_CASE("ResNet-50 in total: parameters, moving statistics, FLOP of a step of its batch") {
  const counts c(resnet_50{}, resnet_50::batch);
  CHECK(c.parameters == 25'557'032);
  CHECK(c.moving == 53'120);
  CHECK(c.forward == 2 * 4'089'184'256);
  CHECK(c.training == 24'299'077'632);
}

TEST_CASE("ResNet-50 is ParaDnn's network, layer by layer: 53 convolutions, 53 normalisations, one dense layer") {
  const layer_counts layers = layers_of(resnet_50{});
  CHECK(layers.size() == 53 + 53 + 1);
  CHECK(layers == layers_of(ridgepoint::models::paradnn_cnn{}));
}

TEST_CASE("networks for ImageNet train with momentum; weights decay, biases and normalisations do not") {
  constexpr resnet_50::optimiser momentum;
  CHECK(momentum.learning_rate == 0.1);
  CHECK(momentum.options.momentum == 0.9);
  ridgepoint::graph net("resnet-50");
  const auto learning = ridgepoint::plan_training(net, resnet_50::build(net), resnet_50::loss{}, resnet_50::optimiser{},
                                                  ridgepoint::models::learning<resnet_50>({.batch = 1}));
  constexpr std::uint64_t all = 25'557'032, decaying = all - 53'120 - 1000;  // as many gammas and betas as statistics
  CHECK(learning.plan.receipt(ridgepoint::pass::update).flop == 4 * all + 2 * decaying);
  CHECK(resnet_50::groups()[0].weight_decay == 1e-4);
}

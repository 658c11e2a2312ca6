// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/imagenet.hpp>

#include "counts.hpp"

using ridgepoint::models::vgg_16;

namespace {

/// Adds the counts of one stage: 3×3 on side² pixels, with biases.
void add_stage(layer_counts& all, std::uint64_t side, std::uint64_t in, std::uint64_t out, int convolutions) {
  for (int i = 0; i < convolutions; ++i, in = out) all.push_back({9 * in * out + out, 2 * side * side * 9 * in * out});
}

}  // namespace

TEST_CASE("the layers of VGG-16 have the published parameters and FLOP") {
  layer_counts published;
  add_stage(published, 224, 3, 64, 2);
  add_stage(published, 112, 64, 128, 2);
  add_stage(published, 56, 128, 256, 3);
  add_stage(published, 28, 256, 512, 3);
  add_stage(published, 14, 512, 512, 3);
  published.push_back({102'764'544, 205'520'896});
  published.push_back({16'781'312, 33'554'432});
  published.push_back({4'097'000, 8'192'000});
  CHECK(layers_of(vgg_16{}) == published);
}

TEST_CASE("VGG-16 in total: parameters, FLOP of a step of its batch, training options") {
  const counts c(vgg_16{}, vgg_16::batch);
  CHECK(c.parameters == 138'357'544);
  CHECK(c.moving == 0);
  CHECK(c.forward == 2 * 15'470'264'320);
  CHECK(c.training == 92'648'177'664);
  CHECK(vgg_16::optimiser{}.learning_rate == 0.01);
  CHECK(vgg_16::groups()[0].weight_decay == 5e-4);
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/imagenet.hpp>

#include "counts.hpp"

using ridgepoint::models::mobilenet_v1;

namespace {

/// Adds the counts of a depthwise and a 1×1 convolution with their normalisations; the output has side² pixels.
void add_separable(layer_counts& all, std::uint64_t side, std::uint64_t in, std::uint64_t out) {
  all.push_back({9 * in, 2 * side * side * 9 * in});
  all.push_back({2 * in, 0});
  all.push_back({in * out, 2 * side * side * in * out});
  all.push_back({2 * out, 0});
}

}  // namespace

TEST_CASE("the layers of MobileNet v1 have the published parameters and FLOP") {
  layer_counts published{{864, 21'676'032}, {64, 0}};
  add_separable(published, 112, 32, 64);
  add_separable(published, 56, 64, 128);
  add_separable(published, 56, 128, 128);
  add_separable(published, 28, 128, 256);
  add_separable(published, 28, 256, 256);
  add_separable(published, 14, 256, 512);
  for (int i = 0; i < 5; ++i) add_separable(published, 14, 512, 512);
  add_separable(published, 7, 512, 1024);
  add_separable(published, 7, 1024, 1024);
  published.push_back({1'025'000, 2'048'000});
  CHECK(layers_of(mobilenet_v1{}) == published);
}

TEST_CASE("MobileNet v1 in total: parameters, moving statistics, FLOP of a step of its batch") {
  const counts c(mobilenet_v1{}, mobilenet_v1::batch);
  CHECK(c.parameters == 4'231'976);
  CHECK(c.parameters == 3'185'088 + 21'888 + 1'025'000);  // convolutions, normalisations, the dense layer
  CHECK(c.moving == 21'888);
  CHECK(c.forward == 2 * (567'716'352 + 1'024'000));
  CHECK(c.training == 3'390'766'080);
}

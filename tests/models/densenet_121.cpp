// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/imagenet.hpp>

#include "counts.hpp"

using ridgepoint::models::densenet_121;

namespace {

/// Adds the counts of a dense block on side² pixels; every layer adds 32 channels.
void add_dense_block(layer_counts& all, std::uint64_t side, std::uint64_t in, int layers) {
  for (int i = 0; i < layers; ++i, in += 32) {
    all.push_back({2 * in, 0});
    all.push_back({in * 128, 2 * side * side * in * 128});
    all.push_back({2 * 128, 0});
    all.push_back({9 * 128 * 32, 2 * side * side * 9 * 128 * 32});
  }
}
/// Adds the counts of a transition layer, which halves the channels before the pixels.
void add_transition(layer_counts& all, std::uint64_t side, std::uint64_t in) {
  all.push_back({2 * in, 0});
  all.push_back({in * in / 2, side * side * in * in});
}

}  // namespace

TEST_CASE("the layers of DenseNet-121 have the published parameters and FLOP") {
  layer_counts published{{9'408, 236'027'904}, {128, 0}};
  add_dense_block(published, 56, 64, 6);
  add_transition(published, 56, 256);
  add_dense_block(published, 28, 128, 12);
  add_transition(published, 28, 512);
  add_dense_block(published, 14, 256, 24);
  add_transition(published, 14, 1024);
  add_dense_block(published, 7, 512, 16);
  published.push_back({2'048, 0});
  published.push_back({1'025'000, 2'048'000});
  CHECK(layers_of(densenet_121{}) == published);
}

TEST_CASE("DenseNet-121 in total: parameters, moving statistics, FLOP of a step of its batch") {
  const counts c(densenet_121{}, densenet_121::batch);
  CHECK(c.parameters == 7'978'856);
  CHECK(c.moving == 83'648);
  CHECK(c.forward == 2 * 2'834'161'664);
  CHECK(c.training == 16'768'942'080);
}

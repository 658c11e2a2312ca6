// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/imagenet.hpp>

#include "counts.hpp"

using ridgepoint::models::squeezenet;

namespace {

/// Adds the counts of a fire module on side² pixels: 1×1, then 1×1 and 3×3 of four times as many filters, with biases.
void add_fire(layer_counts& all, std::uint64_t side, std::uint64_t in, std::uint64_t squeezed) {
  const std::uint64_t expanded = 4 * squeezed;
  const std::uint64_t weights[] = {in * squeezed, squeezed * expanded, 9 * squeezed * expanded};
  all.push_back({weights[0] + squeezed, 2 * side * side * weights[0]});
  all.push_back({weights[1] + expanded, 2 * side * side * weights[1]});
  all.push_back({weights[2] + expanded, 2 * side * side * weights[2]});
}

}  // namespace

TEST_CASE(
    "the layers of SqueezeNet 1.0 have the published parameters and FLOP: pools round up to 54, 27 and 13 pixels") {
  layer_counts published{{14'208, 335'329'344}};
  add_fire(published, 54, 96, 16);
  add_fire(published, 54, 128, 16);
  add_fire(published, 54, 128, 32);
  add_fire(published, 27, 256, 32);
  add_fire(published, 27, 256, 48);
  add_fire(published, 27, 384, 48);
  add_fire(published, 27, 384, 64);
  add_fire(published, 13, 512, 64);
  published.push_back({513'000, 173'056'000});
  CHECK(layers_of(squeezenet{}) == published);
}

TEST_CASE("SqueezeNet 1.0 in total: parameters, FLOP of a step of its batch, training options") {
  const counts c(squeezenet{}, squeezenet::batch);
  CHECK(c.parameters == 1'248'424);
  CHECK(c.moving == 0);
  CHECK(c.forward == 2 * 818'924'576);
  CHECK(c.training == 4'578'218'112);
  CHECK(squeezenet::optimiser{}.learning_rate == 0.03);
  CHECK(squeezenet::groups()[0].weight_decay == 2e-4);
}

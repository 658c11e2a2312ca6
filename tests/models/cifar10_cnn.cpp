// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/small_images.hpp>

#include "counts.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
using rp::models::cifar10_cnn;

TEST_CASE("the layers of study D's CIFAR-10 network have the published parameters and FLOP") {
  CHECK(layers_of(cifar10_cnn{}) == layer_counts{{896, 1'769'472},
                                                 {9'248, 16'588'800},
                                                 {18'496, 8'294'400},
                                                 {36'928, 12'460'032},
                                                 {1'180'160, 2'359'296},
                                                 {5'130, 10'240}});
  const counts c(cifar10_cnn{}, cifar10_cnn::batch);
  CHECK(c.parameters == 1'250'858);
  CHECK(c.forward == 41'482'240);
  CHECK(c.training == 122'677'248);
}

TEST_CASE("the learning rate of study D's CIFAR-10 network falls as 1 / (1 + 1e-6·step)") {
  constexpr cifar10_cnn::optimiser rmsprop;
  CHECK(rmsprop.options.rho == 0.9);
  CHECK(rmsprop.options.epsilon == 1e-8);
  CHECK(rp::scheduled_rate(rmsprop.schedule, rmsprop.learning_rate, 0) == 1e-4);
  CHECK(rp::scheduled_rate(rmsprop.schedule, rmsprop.learning_rate, 1'000'000) == near(5e-5, 1e-12));
  CHECK(cifar10_cnn::batch == 32);
  CHECK(cifar10_cnn::epochs == 20);
}

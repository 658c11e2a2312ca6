// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/small_images.hpp>

#include "counts.hpp"

namespace rp = ridgepoint;
using rp::models::embryo_cnn;

TEST_CASE("the layers of study C's network have the published parameters and FLOP, including the last bias") {
  CHECK(layers_of(embryo_cnn{}) ==
        layer_counts{{832, 6'553'600}, {51'264, 104'857'600}, {16'778'240, 33'554'432}, {4'100, 8'192}});
  const counts c(embryo_cnn{}, embryo_cnn::batch);
  CHECK(c.parameters == 16'834'436);
  CHECK(c.forward == 144'973'824);
  CHECK(c.training == 428'367'872);
}

TEST_CASE("study C's network has the published initialisation and training options") {
  constexpr embryo_cnn::optimiser adam;
  CHECK(adam.learning_rate == 1e-4);
  CHECK(adam.options.beta1 == 0.9);
  CHECK(adam.options.beta2 == 0.999);
  CHECK(adam.options.epsilon == 1e-8);
  CHECK(embryo_cnn::batch == 480);
  rp::graph net("embryo");
  const auto made = rp::plan_inference(net, embryo_cnn::build(net));
  rp::random_stream random(1);
  std::vector<double> draws(1000);
  for (const auto& p : made.parameters) {
    p.spec.initial(random, p.spec.fan, draws);
    for (const double value : draws) CHECK((p.spec.name == "b" ? value == 0.1 : std::abs(value) <= 0.2));
  }
}

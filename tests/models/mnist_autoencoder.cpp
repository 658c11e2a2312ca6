// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/mnist.hpp>
#include <ridgepoint/reference/all.hpp>

#include "counts.hpp"

namespace rp = ridgepoint;
using rp::models::mnist_autoencoder;

TEST_CASE("the autoencoder's layers have the published parameters and FLOP: most work on single pixels") {
  CHECK(layers_of(mnist_autoencoder{}) == layer_counts{{64, 50'176},
                                                       {2'112, 3'211'264},
                                                       {802'832, 1'605'632},
                                                       {852'992, 1'605'632},
                                                       {2'080, 3'211'264},
                                                       {2'112, 3'211'264},
                                                       {65, 100'352}});
  const counts c(mnist_autoencoder{}, mnist_autoencoder::batch);
  CHECK(c.parameters == 1'662'257);
  CHECK(c.forward == 12'995'584);
  CHECK(c.training == 38'936'576);
  CHECK(mnist_autoencoder::batch == 32);
  CHECK(mnist_autoencoder::epochs == 1);
}

TEST_CASE("the autoencoder learns to reproduce its input") {
  rp::graph net("autoencoder");
  const rp::node image = mnist_autoencoder::build(net);
  CHECK(image.extents() == rp::shape{28, 28, 1});
  auto trainer = net.train<float>(rp::reference, image, mnist_autoencoder::loss{}, mnist_autoencoder::optimiser{},
                                  {.batch = 1, .seed = 3});
  std::vector<float> x(784, 0.0F);
  for (std::size_t i = 300; i < 400; ++i) x[i] = 0.75F;
  const double first = trainer.step(x, x);
  for (int step = 0; step < 4; ++step) trainer.step(x, x);
  CHECK(trainer.step(x, x) < 0.9 * first);
}

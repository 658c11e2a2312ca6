// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/mnist.hpp>

#include "counts.hpp"

using ridgepoint::models::keras_mnist_mlp;

TEST_CASE("the layers of study D's MNIST MLP have the published parameters and FLOP") {
  CHECK(layers_of(keras_mnist_mlp{}) == layer_counts{{401'920, 802'816}, {262'656, 524'288}, {5'130, 10'240}});
  const counts c(keras_mnist_mlp{}, keras_mnist_mlp::batch);
  CHECK(c.parameters == 669'706);
  CHECK(c.forward == 1'337'344);
  CHECK(c.training == 3'209'216);
}

TEST_CASE("study D's MNIST MLP trains with the options of Keras 2.0") {
  constexpr keras_mnist_mlp::optimiser rmsprop;
  CHECK(rmsprop.learning_rate == 1e-3);
  CHECK(rmsprop.options.rho == 0.9);
  CHECK(rmsprop.options.epsilon == 1e-8);
  CHECK(keras_mnist_mlp::batch == 128);
  CHECK(keras_mnist_mlp::epochs == 20);
}

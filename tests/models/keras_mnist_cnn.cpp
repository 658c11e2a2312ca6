// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/mnist.hpp>

#include "counts.hpp"

using ridgepoint::models::keras_mnist_cnn;

TEST_CASE("the layers of study D's MNIST CNN have the published parameters and FLOP") {
  CHECK(layers_of(keras_mnist_cnn{}) ==
        layer_counts{{320, 389'376}, {18'496, 21'233'664}, {1'179'776, 2'359'296}, {1'290, 2'560}});
  const counts c(keras_mnist_cnn{}, keras_mnist_cnn::batch);
  CHECK(c.parameters == 1'199'882);
  CHECK(c.forward == 23'984'896);
  CHECK(c.training == 71'565'312);
}

TEST_CASE("study D's MNIST CNN trains with the options of Keras 2.0") {
  constexpr keras_mnist_cnn::optimiser adadelta;
  CHECK(adadelta.learning_rate == 1);
  CHECK(adadelta.options.rho == 0.95);
  CHECK(adadelta.options.epsilon == 1e-8);
  CHECK(keras_mnist_cnn::batch == 128);
  CHECK(keras_mnist_cnn::epochs == 12);
}

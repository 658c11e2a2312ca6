// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/models/all.hpp>

namespace tool {

/// The reference networks that classify MNIST's digits.
using digit_networks = ridgepoint::type_list<ridgepoint::models::mnist_mlp, ridgepoint::models::mnist_cnn,
                                             ridgepoint::models::keras_mnist_mlp, ridgepoint::models::keras_mnist_cnn>;
/// All networks with data: see training_data.hpp.
using trained_networks = ridgepoint::models::all;

}  // namespace tool

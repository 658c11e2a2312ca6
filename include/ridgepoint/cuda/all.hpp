// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/activate.hpp>
#include <ridgepoint/cuda/adadelta.hpp>
#include <ridgepoint/cuda/adam.hpp>
#include <ridgepoint/cuda/add.hpp>
#include <ridgepoint/cuda/add_bias.hpp>
#include <ridgepoint/cuda/binary_cross_entropy.hpp>
#include <ridgepoint/cuda/conv2d.hpp>
#include <ridgepoint/cuda/dense.hpp>
#include <ridgepoint/cuda/dropout.hpp>
#include <ridgepoint/cuda/gemm.hpp>
#include <ridgepoint/cuda/momentum.hpp>
#include <ridgepoint/cuda/mse.hpp>
#include <ridgepoint/cuda/rmsprop_keras.hpp>
#include <ridgepoint/cuda/rmsprop_tf1.hpp>
#include <ridgepoint/cuda/sgd.hpp>
#include <ridgepoint/cuda/softmax.hpp>
#include <ridgepoint/cuda/softmax_cross_entropy.hpp>
#include <ridgepoint/cuda/step_state.hpp>
#include <ridgepoint/cuda/sum_of_squares.hpp>

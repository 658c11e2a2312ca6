// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/attention.hpp>
#include <ridgepoint/cuda/chain.hpp>
#include <ridgepoint/cuda/convolution.hpp>
#include <ridgepoint/cuda/elementwise.hpp>
#include <ridgepoint/cuda/embedding.hpp>
#include <ridgepoint/cuda/gemm.hpp>
#include <ridgepoint/cuda/losses.hpp>
#include <ridgepoint/cuda/normalisation.hpp>
#include <ridgepoint/cuda/optimisers.hpp>
#include <ridgepoint/cuda/pooling.hpp>
#include <ridgepoint/cuda/recurrent.hpp>
#include <ridgepoint/cuda/recurrent_in_floats.hpp>

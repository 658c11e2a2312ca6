// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every layer of the library.
#include <ridgepoint/graph/layers/attention.hpp>
#include <ridgepoint/graph/layers/convolution.hpp>
#include <ridgepoint/graph/layers/dense.hpp>
#include <ridgepoint/graph/layers/elementwise.hpp>
#include <ridgepoint/graph/layers/embedding.hpp>
#include <ridgepoint/graph/layers/normalisation.hpp>
#include <ridgepoint/graph/layers/pooling.hpp>
#include <ridgepoint/graph/layers/recurrent.hpp>
#include <ridgepoint/graph/layers/shapes.hpp>

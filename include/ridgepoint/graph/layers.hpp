// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every layer of the library.
#include <ridgepoint/graph/layers/activation.hpp>
#include <ridgepoint/graph/layers/add.hpp>
#include <ridgepoint/graph/layers/dense.hpp>
#include <ridgepoint/graph/layers/dropout.hpp>
#include <ridgepoint/graph/layers/flatten.hpp>
#include <ridgepoint/graph/layers/softmax.hpp>

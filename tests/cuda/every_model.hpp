// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "trained_model.hpp"

/// Calls use(model) for every network of models/, trained in this precision.
void each_model(ridgepoint::precision in, const std::function<void(const trained_model&)>& use);

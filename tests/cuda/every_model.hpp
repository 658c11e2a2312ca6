// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "trained_model.hpp"

/// use(model) of every network of models/.
void each_model(const std::function<void(const trained_model&)>& use);

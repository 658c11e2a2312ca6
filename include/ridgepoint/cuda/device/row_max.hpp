// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

__device__ inline double highest(double a, double b) { return b > a ? b : a; }

/// Returns the maximum over the threads of a block, ignoring NaN, to all of them.
__device__ inline double max_of_block(double mine) {
  return folded_in_block(mine, [](double a, double b) { return highest(a, b); });
}

}  // namespace ridgepoint_device

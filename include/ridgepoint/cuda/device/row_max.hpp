// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

__device__ inline double highest(double a, double b) { return b > a ? b : a; }

/// The highest value that threads of a block have, NaN left out, in all of them.
__device__ inline double max_of_block(double mine) {
  __shared__ double parts[block_threads];
  const unsigned i = threadIdx.x;
  parts[i] = mine;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (i < half) parts[i] = highest(parts[i], parts[i + half]);
    __syncthreads();
  }
  const double max = parts[0];
  __syncthreads();
  return max;
}

}  // namespace ridgepoint_device

// SPDX-License-Identifier: MIT
#pragma once

#include <math.h>  // the names without std::, for float as well

/// What device code finds around it: included before it by the compiler's command line, which also makes __global__ and
/// __device__ nothing, and __shared__ static: a block runs on one thread of the host.
struct emulated_extent {
  unsigned x = 1, y = 1, z = 1;
};
extern emulated_extent gridDim, blockDim, blockIdx, threadIdx;

/// Returns when all threads of the block have called it.
void __syncthreads();

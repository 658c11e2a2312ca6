// SPDX-License-Identifier: MIT
#pragma once

#include <math.h>  // the names without std::, for float as well

/// Built-ins of device code, included before it by the compiler's command line. The command line also defines
/// __global__ and __device__ as nothing, and __shared__ as static: a block runs on one thread of the host.
struct emulated_extent {
  unsigned x = 1, y = 1, z = 1;
};
extern emulated_extent gridDim, blockDim, blockIdx, threadIdx;

/// Returns when all threads of the block have called it.
void __syncthreads();

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/number.hpp>

/// \file
/// Device code, for NVRTC, for nvcc, and for the host compiler in the emulator of the tests. It uses no standard
/// library, no macros and no warp intrinsics.

namespace ridgepoint_device {

using index_t = long;  // as on the host: 64 bits, signed

/// Returns the first element of a grid-stride loop for this thread: first, first + stride, …
__device__ inline index_t first_element() { return static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline index_t element_stride() { return static_cast<index_t>(gridDim.x) * blockDim.x; }

/// Infinity, for which NVRTC has no name.
__device__ inline double infinity() { return -log(0.0); }

/// Threads of a block that works on one row or reduces: kernels that sum within a block are launched with this many or
/// fewer.
constexpr unsigned block_threads = 256;

/// Combines one value per thread of a block by both(a, b), in tree order, and returns the result to all threads. All
/// threads must call it.
template <class Number, class Both>
__device__ Number folded_in_block(Number mine, const Both& both) {
  __shared__ Number parts[block_threads];
  const unsigned i = threadIdx.x;
  parts[i] = mine;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (i < half) parts[i] = both(parts[i], parts[i + half]);
    __syncthreads();
  }
  const Number folded = parts[0];
  __syncthreads();
  return folded;
}
/// Returns the sum of one value per thread of a block.
template <class Number>
__device__ Number sum_of_block(Number mine) {
  return folded_in_block(mine, [](Number a, Number b) { return a + b; });
}

}  // namespace ridgepoint_device

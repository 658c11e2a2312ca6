// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/number.hpp>

/// \file
/// Device code: what NVRTC compiles for the GPU at hand, nvcc for whoever includes it, and the host's compiler for the
/// emulator of the tests. Nothing of the standard library, no macros, no warp intrinsics.

namespace ridgepoint_device {

using index_t = long;  // as on the host: 64 bits, signed

/// The elements of a loop over many that this thread of a grid computes: first, first + stride, …
__device__ inline index_t first_element() { return static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline index_t element_stride() { return static_cast<index_t>(gridDim.x) * blockDim.x; }

/// NVRTC has no name for it.
__device__ inline double infinity() { return -log(0.0); }

/// Threads of a block that works on one row or reduces: kernels that sum within a block are launched with as many.
constexpr unsigned block_threads = 256;

/// What both(a, b) makes of a value of every thread of a block, in the order of a tree, in all of them. All call it.
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
/// The sum of a value of every thread of a block.
template <class Number>
__device__ Number sum_of_block(Number mine) {
  return folded_in_block(mine, [](Number a, Number b) { return a + b; });
}

}  // namespace ridgepoint_device

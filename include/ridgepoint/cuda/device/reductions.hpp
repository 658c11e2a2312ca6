// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/step_state.hpp>

namespace ridgepoint_device {

/// sums(j) ← Σ_i x(i, j), each column by one block, always in the same order.
template <class T>
__global__ void column_sums(index_t rows, index_t cols, index_t row_stride, const T* x, T* sums) {
  for (index_t j = blockIdx.x; j < cols; j += gridDim.x) {
    number<T> mine = 0;
    for (index_t i = threadIdx.x; i < rows; i += blockDim.x) mine += x[i * row_stride + j];
    const number<T> sum = sum_of_block(mine);
    if (threadIdx.x == 0) sums[j] = sum;
  }
}

/// parts(b) ← Σ x², of the elements of block b.
template <class T>
__global__ void square_parts(index_t size, const T* x, double* parts) {
  double mine = 0;
  for (index_t i = first_element(); i < size; i += element_stride())
    mine += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  const double sum = sum_of_block(mine);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}
/// state->gradient_squares ← kept·state->gradient_squares + Σ parts, by one block; of kept = 0 it is not read.
__global__ void gather_squares(unsigned count, const double* parts, double kept, step_state* state) {
  double mine = 0;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) mine += parts[i];
  const double sum = sum_of_block(mine);
  if (threadIdx.x == 0) state->gradient_squares = (kept == 0 ? 0.0 : kept * state->gradient_squares) + sum;
}

}  // namespace ridgepoint_device

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/columns.hpp>
#include <ridgepoint/cuda/device/step_state.hpp>

namespace ridgepoint_device {

/// sums(part, j) ← Σ x(i, j) over the rows of a block, always in the same order.
template <class From, class To>
__device__ void sum_part_of_columns(index_t rows, index_t cols, unsigned width, index_t row_stride, const From* x,
                                    To* sums) {
  const column_share mine = share_of_columns(cols, width);
  number<From> sum = 0;
  if (mine.column < cols)
    for (index_t i = mine.first; i < rows; i += mine.stride) sum += x[i * row_stride + mine.column];
  sum = sum_of_lanes(sum, width);
  if (mine.lane == 0 && mine.column < cols) sums[mine.part * cols + mine.column] = sum;
}
/// sums(j) ← Σ_i x(i, j), one block per tile.
template <class T>
__global__ void column_sums(index_t rows, index_t cols, unsigned width, index_t row_stride, const T* x, T* sums) {
  sum_part_of_columns(rows, cols, width, row_stride, x, sums);
}
/// Computes column sums over parts of the rows; sums_of_column_parts adds the parts.
template <class T>
__global__ void column_sum_parts(index_t rows, index_t cols, unsigned width, index_t row_stride, const T* x,
                                 number<T>* parts) {
  sum_part_of_columns(rows, cols, width, row_stride, x, parts);
}
template <class T>
__global__ void sums_of_column_parts(index_t count, index_t cols, unsigned width, const number<T>* parts, T* sums) {
  sum_part_of_columns(count, cols, width, cols, parts, sums);
}

/// parts(b) ← Σ x² of the elements of block b.
template <class T>
__global__ void square_parts(index_t size, const T* x, double* parts) {
  double mine = 0;
  for (index_t i = first_element(); i < size; i += element_stride())
    mine += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  const double sum = sum_of_block(mine);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}
/// state->gradient_squares ← kept·state->gradient_squares + Σ parts, in one block; not read if kept = 0.
__global__ void gather_squares(unsigned count, const double* parts, double kept, step_state* state) {
  double mine = 0;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) mine += parts[i];
  const double sum = sum_of_block(mine);
  if (threadIdx.x == 0) state->gradient_squares = (kept == 0 ? 0.0 : kept * state->gradient_squares) + sum;
}

}  // namespace ridgepoint_device

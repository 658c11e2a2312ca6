// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// A thread's share of a matrix whose blocks take tiles of `width` adjacent columns and share the rows of each tile:
/// one column, and the rows first, first + stride, …
struct column_share {
  index_t column, first, stride;
  index_t lane, part, lanes;  // its row of the block; the block's index in the tile; rows of a block
};
__device__ inline column_share share_of_columns(index_t cols, unsigned width) {
  const index_t tiles = (cols + width - 1) / width, block = blockIdx.x, parts = gridDim.x / tiles, part = block / tiles;
  const index_t lanes = blockDim.x / width, lane = threadIdx.x / width;
  return {block % tiles * width + threadIdx.x % width, part * lanes + lane, parts * lanes, lane, part, lanes};
}

/// Returns the sum over the threads of a block that share a column, in tree order, to each of them. All threads must
/// call it.
template <class Number>
__device__ Number sum_of_lanes(Number mine, unsigned width) {
  __shared__ Number parts[block_threads];
  const unsigned i = threadIdx.x;
  parts[i] = mine;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half >= width; half /= 2) {
    if (i < half) parts[i] += parts[i + half];
    __syncthreads();
  }
  const Number sum = parts[i % width];
  __syncthreads();
  return sum;
}

/// Two sums that are computed together.
template <class T>
struct two_sums {
  T first, second;
};

/// parts(part, 0 and 1, column) ← the two sums that add(row, column, sums) accumulates over the rows of a block.
template <class T, class Add>
__device__ void sum_columns(index_t rows, index_t cols, unsigned width, T* parts, const Add& add) {
  const column_share mine = share_of_columns(cols, width);
  two_sums<T> sums{T(0), T(0)};
  if (mine.column < cols)
    for (index_t row = mine.first; row < rows; row += mine.stride) add(row, mine.column, sums);
  const T first = sum_of_lanes(sums.first, width), second = sum_of_lanes(sums.second, width);
  if (mine.lane != 0 || mine.column >= cols) return;
  parts[2 * mine.part * cols + mine.column] = first;
  parts[(2 * mine.part + 1) * cols + mine.column] = second;
}
/// Returns the sums of a column over its parts, to all threads that share it.
template <class T>
__device__ two_sums<T> sums_of_parts(const column_share& mine, index_t cols, unsigned width, index_t count,
                                     const T* parts) {
  two_sums<T> sums{T(0), T(0)};
  if (mine.column < cols)
    for (index_t part = mine.first; part < count; part += mine.stride) {
      sums.first += parts[2 * part * cols + mine.column];
      sums.second += parts[(2 * part + 1) * cols + mine.column];
    }
  return {sum_of_lanes(sums.first, width), sum_of_lanes(sums.second, width)};
}

/// first(column) and, for the first `seconds` columns, second(column) ← the sums over the parts, one block per tile.
template <class T>
__global__ void gather_columns(index_t cols, unsigned width, index_t count, const number<T>* parts, T* first, T* second,
                               index_t seconds) {
  const column_share mine = share_of_columns(cols, width);
  const two_sums<number<T>> sums = sums_of_parts(mine, cols, width, count, parts);
  if (mine.lane != 0 || mine.column >= cols) return;
  first[mine.column] = sums.first;
  if (mine.column < seconds) second[mine.column] = sums.second;
}

}  // namespace ridgepoint_device

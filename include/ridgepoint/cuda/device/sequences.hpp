// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// y(i, ·) ← table(ids(i), ·); NaN for an index out of range.
template <class T>
__global__ void embedding(index_t tokens, index_t vocabulary, index_t width, const int* ids, const T* table, T* y) {
  for (index_t e = first_element(); e < tokens * width; e += element_stride()) {
    const index_t row = ids[e / width];
    const bool known = row >= 0 && row < vocabulary;
    y[e] = known ? table[row * width + e % width] : T(static_cast<number<T>>(infinity() - infinity()));
  }
}

/// What tokens are sorted by: their ids, those out of range behind all others.
__device__ inline int sorted_id(int id, index_t vocabulary) { return id >= 0 && id < vocabulary ? id : 2147483647; }

/// order ← the tokens by their ids, equal ones in their order: each counts those that come before it.
__global__ void embedding_order(index_t tokens, index_t vocabulary, const int* ids, int* order) {
  for (index_t i = first_element(); i < tokens; i += element_stride()) {
    const int mine = sorted_id(ids[i], vocabulary);
    index_t before = 0;
    for (index_t j = 0; j < tokens; ++j) {
      const int other = sorted_id(ids[j], vocabulary);
      before += other < mine || (other == mine && j < i) ? 1 : 0;
    }
    order[before] = static_cast<int>(i);
  }
}

/// Whether the k-th of the sorted tokens is the first of its row.
__device__ inline bool begins_row(index_t k, index_t vocabulary, const int* ids, const int* order) {
  const int id = sorted_id(ids[order[k]], vocabulary);
  return id < vocabulary && (k == 0 || sorted_id(ids[order[k - 1]], vocabulary) != id);
}
/// rows(r) ← the r-th id that there is, begins(r) ← the first of its tokens in `order`; behind the last −1. By one
/// block, of whose threads each takes a stretch of the sorted tokens.
__global__ void embedding_listed_rows(index_t tokens, index_t vocabulary, const int* ids, const int* order, int* rows,
                                      int* begins) {
  __shared__ index_t counts[block_threads];
  const index_t each = (tokens + blockDim.x - 1) / blockDim.x, first = threadIdx.x * each;
  const index_t end = first + each < tokens ? first + each : tokens;
  index_t mine = 0;
  for (index_t k = first; k < end; ++k) mine += begins_row(k, vocabulary, ids, order) ? 1 : 0;
  counts[threadIdx.x] = mine;
  __syncthreads();
  index_t row = 0, all = 0;
  for (unsigned i = 0; i < blockDim.x; ++i) {
    row += i < threadIdx.x ? counts[i] : 0;
    all += counts[i];
  }
  for (index_t k = first; k < end; ++k) {
    if (k >= all) rows[k] = begins[k] = -1;
    if (!begins_row(k, vocabulary, ids, order)) continue;
    rows[row] = ids[order[k]];
    begins[row] = static_cast<int>(k);
    ++row;
  }
}

/// The sum of dy(i, column) over the tokens of one row, in their order, which is that of `order` from k.
template <class T>
__device__ number<T> row_sum(index_t k, index_t column, index_t tokens, index_t width, const int* ids, const int* order,
                             const T* dy) {
  const int id = ids[order[k]];
  number<T> sum = 0;
  for (; k < tokens && ids[order[k]] == id; ++k) sum += dy[order[k] * width + column];
  return sum;
}
/// sums(r, ·) ← the sum of listed row r; behind the last 0.
template <class T>
__global__ void embedding_sums(index_t tokens, index_t width, const int* ids, const int* order, const int* begins,
                               const T* dy, T* sums) {
  for (index_t e = first_element(); e < tokens * width; e += element_stride()) {
    const int k = begins[e / width];
    sums[e] = k < 0 ? number<T>(0) : row_sum(k, e % width, tokens, width, ids, order, dy);
  }
}
/// dtable(v, ·) ← 0.
template <class T>
__global__ void zeros(index_t size, T* x) {
  for (index_t i = first_element(); i < size; i += element_stride()) x[i] = T(0);
}
/// dtable(ids(i), ·) ← the sum of each row that tokens point to.
template <class T>
__global__ void embedding_backward(index_t tokens, index_t vocabulary, index_t width, const int* ids, const int* order,
                                   const T* dy, T* dtable) {
  for (index_t e = first_element(); e < tokens * width; e += element_stride()) {
    const index_t k = e / width, j = e % width;
    if (!begins_row(k, vocabulary, ids, order)) continue;
    dtable[ids[order[k]] * width + j] = row_sum(k, j, tokens, width, ids, order, dy);
  }
}

/// y(n, t, c) ← scale·x(n, t, c) + sin or cos of t / 10000^((c − c mod 2) / width), each computed once for all samples.
template <class T>
__global__ void positions(index_t n, index_t steps, index_t width, number<T> scale, const T* x, T* y) {
  for (index_t e = first_element(); e < steps * width; e += element_stride()) {
    const index_t c = e % width;
    const double exponent = static_cast<double>(c - c % 2) / static_cast<double>(width);
    const double angle = static_cast<double>(e / width) * pow(1e4, -exponent);
    const auto position = static_cast<number<T>>(c % 2 == 0 ? sin(angle) : cos(angle));
    for (index_t i = e; i < n * steps * width; i += steps * width) y[i] = scale * x[i] + position;
  }
}
/// y(i) ← scale·x(i).
template <class T>
__global__ void scaled(index_t size, number<T> scale, const T* x, T* y) {
  for (index_t i = first_element(); i < size; i += element_stride()) y[i] = scale * x[i];
}
/// y ← x, (rows, cols) of any strides made dense.
template <class T>
__global__ void dense_copy(index_t rows, index_t cols, const T* x, index_t row_stride, index_t col_stride, T* y) {
  for (index_t e = first_element(); e < rows * cols; e += element_stride())
    y[e] = x[e / cols * row_stride + e % cols * col_stride];
}

}  // namespace ridgepoint_device

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// y(i, ·) ← table(ids(i), ·); NaN for an index out of range.
template <class T>
__global__ void embedding(index_t tokens, index_t vocabulary, divisor width, const int* ids, const T* table, T* y) {
  for (index_t e = first_element(); e < tokens * width; e += element_stride()) {
    const auto [token, j] = divide(e, width);
    const index_t row = ids[token];
    const bool known = row >= 0 && row < vocabulary;
    y[e] = known ? table[row * width + j] : T(static_cast<number<T>>(infinity() - infinity()));
  }
}

/// Sort key of a token: by id, ids out of range last, equal ids in token order. No two keys are equal.
using token_key = unsigned long;
__device__ inline token_key key_of(index_t token, int id, index_t vocabulary) {
  const bool known = id >= 0 && id < vocabulary;
  return static_cast<token_key>(known ? id : 2147483647) << 32 | static_cast<token_key>(token);
}
__device__ inline index_t id_in(token_key key) { return static_cast<index_t>(key >> 32); }
__device__ inline index_t token_in(token_key key) { return static_cast<index_t>(key & 0xFFFFFFFFUL); }

/// Returns the position of key i after its run, of `length` sorted keys, is merged with the adjacent run.
__device__ inline index_t merged_place(const token_key* keys, index_t count, index_t length, index_t i) {
  const index_t first = i / (2 * length) * (2 * length), mine = i / length * length;
  const index_t other = mine == first ? first + length : first;
  index_t low = other < count ? other : count, high = other + length < count ? other + length : count;
  const index_t others = low;
  const token_key key = keys[i];
  while (low < high) {
    const index_t middle = (low + high) / 2;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return first + (i - mine) + (low - others);
}

/// Tokens that a block sorts.
constexpr index_t sorted_tile = 1024;

/// keys ← the keys of the tokens, sorted within tiles, one block per tile.
__global__ void sort_tokens(index_t tokens, index_t vocabulary, const int* ids, token_key* keys) {
  __shared__ token_key runs[2][sorted_tile];
  for (index_t first = blockIdx.x * sorted_tile; first < tokens; first += gridDim.x * sorted_tile) {
    const index_t count = first + sorted_tile < tokens ? sorted_tile : tokens - first;
    for (index_t i = threadIdx.x; i < count; i += blockDim.x)
      runs[0][i] = key_of(first + i, ids[first + i], vocabulary);
    unsigned from = 0;
    __syncthreads();
    for (index_t length = 1; length < count; length *= 2) {
      for (index_t i = threadIdx.x; i < count; i += blockDim.x)
        runs[1 - from][merged_place(runs[from], count, length, i)] = runs[from][i];
      from = 1 - from;
      __syncthreads();
    }
    for (index_t i = threadIdx.x; i < count; i += blockDim.x) keys[first + i] = runs[from][i];
    __syncthreads();
  }
}
/// to ← from, with pairs of sorted runs of `length` keys merged.
__global__ void merge_tokens(index_t tokens, index_t length, const token_key* from, token_key* to) {
  for (index_t i = first_element(); i < tokens; i += element_stride())
    to[merged_place(from, tokens, length, i)] = from[i];
}

/// Returns whether the k-th sorted token is the first of its row.
__device__ inline bool begins_row(index_t k, index_t vocabulary, const token_key* keys) {
  const index_t id = id_in(keys[k]);
  return id < vocabulary && (k == 0 || id_in(keys[k - 1]) != id);
}
/// rows(r) ← the r-th distinct id, begins(r) ← the position of its first sorted token; −1 after the last id. Runs in
/// one block, whose threads take contiguous ranges of the sorted tokens.
__global__ void embedding_listed_rows(index_t tokens, index_t vocabulary, const token_key* keys, int* rows,
                                      int* begins) {
  __shared__ index_t counts[block_threads];
  const index_t each = (tokens + blockDim.x - 1) / blockDim.x, first = threadIdx.x * each;
  const index_t end = first + each < tokens ? first + each : tokens;
  index_t mine = 0;
  for (index_t k = first; k < end; ++k) mine += begins_row(k, vocabulary, keys) ? 1 : 0;
  counts[threadIdx.x] = mine;
  __syncthreads();
  index_t row = 0, all = 0;
  for (unsigned i = 0; i < blockDim.x; ++i) {
    row += i < threadIdx.x ? counts[i] : 0;
    all += counts[i];
  }
  for (index_t k = first; k < end; ++k) {
    if (k >= all) rows[k] = begins[k] = -1;
    if (!begins_row(k, vocabulary, keys)) continue;
    rows[row] = static_cast<int>(id_in(keys[k]));
    begins[row] = static_cast<int>(k);
    ++row;
  }
}

/// Returns the sum of dy(i, column) over the tokens of one row, in order; the k-th sorted token is the first of the
/// row.
template <class T>
__device__ number<T> row_sum(index_t k, index_t column, index_t tokens, index_t width, const token_key* keys,
                             const T* dy) {
  const index_t id = id_in(keys[k]);
  number<T> sum = 0;
  for (; k < tokens && id_in(keys[k]) == id; ++k) sum += dy[token_in(keys[k]) * width + column];
  return sum;
}
/// sums(r, ·) ← the sum of listed row r; 0 after the last.
template <class T>
__global__ void embedding_sums(index_t tokens, divisor width, const token_key* keys, const int* begins, const T* dy,
                               T* sums) {
  for (index_t e = first_element(); e < tokens * width; e += element_stride()) {
    const auto [row, j] = divide(e, width);
    const int k = begins[row];
    sums[e] = k < 0 ? number<T>(0) : row_sum(k, j, tokens, width, keys, dy);
  }
}
/// x ← 0.
template <class T>
__global__ void zeros(index_t size, T* x) {
  for (index_t i = first_element(); i < size; i += element_stride()) x[i] = T(0);
}
/// dtable(v, ·) ← the sum of each row that tokens refer to.
template <class T>
__global__ void embedding_backward(index_t tokens, index_t vocabulary, divisor width, const token_key* keys,
                                   const T* dy, T* dtable) {
  for (index_t e = first_element(); e < tokens * width; e += element_stride()) {
    const auto [k, j] = divide(e, width);
    if (!begins_row(k, vocabulary, keys)) continue;
    dtable[id_in(keys[k]) * width + j] = row_sum(k, j, tokens, width, keys, dy);
  }
}

/// y(n, t, c) ← scale·x(n, t, c) + sin or cos of t / 10000^((c − c mod 2) / width), computed once for all samples of a
/// thread; all available threads share the samples.
template <class T>
__global__ void positions(index_t n, divisor steps, divisor width, number<T> scale, const T* x, T* y) {
  const index_t each = steps * width, shares = element_stride() / each;
  const index_t first = shares < 1 ? each : shares < n ? shares * each : n * each;  // one thread per element
  for (index_t e = first_element(); e < first; e += element_stride()) {
    const auto [step, c] = divide(e, width);
    const double exponent = static_cast<double>(c - c % 2) / static_cast<double>(width.value);
    const double angle = static_cast<double>(step % steps) * pow(1e4, -exponent);
    const auto position = static_cast<number<T>>(c % 2 == 0 ? sin(angle) : cos(angle));
    for (index_t i = e; i < n * each; i += first) y[i] = scale * x[i] + position;
  }
}
/// y(i) ← scale·x(i).
template <class T>
__global__ void scaled(index_t size, number<T> scale, const T* x, T* y) {
  for (index_t i = first_element(); i < size; i += element_stride()) y[i] = scale * x[i];
}
/// y ← x; copies (rows, cols) with any strides to a dense matrix.
template <class T>
__global__ void dense_copy(index_t rows, divisor cols, const T* x, index_t row_stride, index_t col_stride, T* y) {
  for (index_t e = first_element(); e < rows * cols; e += element_stride()) {
    const auto [i, j] = divide(e, cols);
    y[e] = x[i * row_stride + j * col_stride];
  }
}

}  // namespace ridgepoint_device

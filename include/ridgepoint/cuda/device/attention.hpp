// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

/// \file
/// Attention, with one block per query or key of one head. A block stores its scores or products in its own line of the
/// workspace and overwrites the line for each of its queries or keys.
namespace ridgepoint_device {

/// Heads of the steps of a batch: element c of (sample, step, head) is at the sum of its strides, + c.
template <class T>
struct heads {
  T* data;
  index_t sample, step, head;

  __device__ T* at(index_t n, index_t i, index_t h) const { return data + n * sample + i * step + h * head; }
};
/// Extents, and which keys a query sees: see ridgepoint::attention_geometry.
struct attention_extents {
  index_t n, queries, keys, heads, width;
  const int* lengths;
  index_t causal;

  __device__ index_t there(index_t sample) const {
    if (lengths == nullptr) return keys;
    const index_t length = lengths[sample];
    return length < 0 ? 0 : length < keys ? length : keys;
  }
  /// Returns how many of the first `all` keys query i sees.
  __device__ index_t seen(index_t i, index_t all) const {
    if (causal == 0) return all;
    const index_t before = i + 1 + keys - queries;
    return before < 0 ? 0 : before < all ? before : all;
  }
  __device__ index_t first_query(index_t key) const {
    const index_t first = causal == 0 ? 0 : key + queries - keys;
    return first < 0 ? 0 : first;
  }
};

/// Columns of the tiles of rows in shared memory.
constexpr unsigned tile_columns = 8;

/// Returns x·rows(i) for thread i of a block; `count` rows with stride `step`. All threads must call it, a multiple of
/// 8. Rows pass through shared memory in tiles of columns, padded with zeros. Adjacent threads read adjacent elements,
/// and each thread adds the products of its own row in column order.
template <class T>
__device__ number<T> product_with_row(index_t count, index_t width, const T* x, const T* rows, index_t step) {
  __shared__ number<T> tile[block_threads][tile_columns + 1], factors[tile_columns];  // + 1: rows in different banks
  const unsigned lines = blockDim.x / tile_columns, row = threadIdx.x / tile_columns,
                 column = threadIdx.x % tile_columns,
                 last = count < block_threads ? static_cast<unsigned>(count) - 1 : block_threads - 1;
  number<T> sum = 0;
  for (index_t first = 0; first < width; first += tile_columns) {
    const bool inside = first + column < width;
    const T* const from = rows + (inside ? first + column : 0);
    number<T> loaded[tile_columns];  // all loads of a thread are in flight at once
    for (unsigned k = 0; k < tile_columns; ++k) {
      const unsigned i = row + k * lines;
      loaded[k] = from[(i < last ? i : last) * step];
    }
    for (unsigned k = 0; k < tile_columns; ++k) tile[row + k * lines][column] = inside ? loaded[k] : number<T>(0);
    if (threadIdx.x < tile_columns) factors[column] = inside ? number<T>(x[first + column]) : number<T>(0);
    __syncthreads();
    for (unsigned c = 0; threadIdx.x < count && c < tile_columns; ++c) sum += factors[c] * tile[threadIdx.x][c];
    __syncthreads();
  }
  return sum;
}

/// to(c) ← factor·Σ_j weights(j)·rows(j, c) of `count` rows with stride `step`, in one block. Adjacent threads take
/// adjacent columns; if there are more threads than columns, groups of threads take rows in turn, and their partial
/// sums are added in order. The same block may have just written the weights.
template <class T>
__device__ void weighted_rows(index_t count, index_t width, const number<T>* weights, const T* rows, index_t step,
                              number<T> factor, T* to) {
  __shared__ number<T> parts[block_threads];
  unsigned lanes = 1;
  while (lanes < blockDim.x && static_cast<index_t>(lanes) < width) lanes *= 2;
  const unsigned groups = blockDim.x / lanes, lane = threadIdx.x % lanes, group = threadIdx.x / lanes;
  __syncthreads();
  for (index_t first = 0; first < width; first += lanes) {
    const index_t c = first + lane;
    number<T> sum = 0;
    for (index_t j = group; c < width && j < count; j += groups) sum += weights[j] * rows[j * step + c];
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned other = 1; group == 0 && other < groups; ++other) sum += parts[other * lanes + lane];
    if (group == 0 && c < width) to[c] = sum * factor;
    __syncthreads();
  }
}

/// y ← Σ_j p(j)·v(j) for each query, log_sums ← ln Σ_j e^(scale·q·k(j)) unless null. lines: `keys` numbers per block.
template <class T>
__global__ void attention(attention_extents g, number<T> scale, heads<const T> q, heads<const T> k, heads<const T> v,
                          heads<T> y, T* log_sums, number<T>* lines) {
  using N = number<T>;
  N* const p = lines + blockIdx.x * g.keys;
  for (index_t row = blockIdx.x; row < g.n * g.heads * g.queries; row += gridDim.x) {
    const index_t i = row % g.queries, head = row / g.queries % g.heads, n = row / g.queries / g.heads;
    const index_t seen = g.seen(i, g.there(n));
    const T* const query = q.at(n, i, head);
    double highest_score = -infinity();
    for (index_t first = 0; first < seen; first += blockDim.x) {
      const N product = product_with_row(seen - first, g.width, query, k.at(n, first, head), k.step);
      const index_t j = first + threadIdx.x;
      if (j >= seen) continue;
      p[j] = scale * product;
      highest_score = highest(highest_score, static_cast<double>(p[j]));
    }
    const N max = static_cast<N>(max_of_block(highest_score));
    N part = 0;
    for (index_t j = threadIdx.x; j < seen; j += blockDim.x) {
      p[j] = exp(p[j] - max);
      part += p[j];
    }
    const N sum = sum_of_block(part), inverse = seen > 0 ? N(1) / sum : N(0);
    if (log_sums != nullptr && threadIdx.x == 0) log_sums[row] = seen > 0 ? max + log(sum) : max;
    weighted_rows<T>(seen, g.width, p, v.at(n, 0, head), v.step, inverse, y.at(n, i, head));
  }
}

/// Computes the gradient for each query: D ← dy·y, stored in `products`, then with p(j) = e^(scale·q·k(j) − log_sum),
/// dq ← Σ_j p(j)·(dy·v(j) − D)·scale·k(j). lines: `keys` numbers per block.
template <class T>
__global__ void attention_of_queries(attention_extents g, number<T> scale, heads<const T> q, heads<const T> k,
                                     heads<const T> v, heads<const T> y, heads<const T> dy, const T* log_sums,
                                     heads<T> dq, number<T>* products, number<T>* lines) {
  using N = number<T>;
  N* const ds = lines + blockIdx.x * g.keys;
  for (index_t row = blockIdx.x; row < g.n * g.heads * g.queries; row += gridDim.x) {
    const index_t i = row % g.queries, head = row / g.queries % g.heads, n = row / g.queries / g.heads;
    const index_t seen = g.seen(i, g.there(n));
    const T *const query = q.at(n, i, head), *const d = dy.at(n, i, head), *const out = y.at(n, i, head);
    N part = 0;
    for (index_t c = threadIdx.x; seen > 0 && c < g.width; c += blockDim.x) part += d[c] * out[c];
    const N product = sum_of_block(part);
    if (threadIdx.x == 0) products[row] = product;
    for (index_t first = 0; first < seen; first += blockDim.x) {
      const N score = product_with_row(seen - first, g.width, query, k.at(n, first, head), k.step),
              slope = product_with_row(seen - first, g.width, d, v.at(n, first, head), v.step);
      const index_t j = first + threadIdx.x;
      if (j < seen) ds[j] = exp(scale * score - log_sums[row]) * (slope - product) * scale;
    }
    weighted_rows<T>(seen, g.width, ds, k.at(n, 0, head), k.step, 1, dq.at(n, i, head));
  }
}

/// Computes the gradients for each key and its value, after attention_of_queries(): dk ← Σ_i ds(i)·q(i), dv ← Σ_i
/// p(i)·dy(i). lines: 2·queries numbers per block.
template <class T>
__global__ void attention_of_keys(attention_extents g, number<T> scale, heads<const T> q, heads<const T> k,
                                  heads<const T> v, heads<const T> dy, const T* log_sums, const number<T>* products,
                                  heads<T> dk, heads<T> dv, number<T>* lines) {
  using N = number<T>;
  N *const p = lines + blockIdx.x * 2 * g.queries, *const ds = p + g.queries;
  for (index_t row = blockIdx.x; row < g.n * g.heads * g.keys; row += gridDim.x) {
    const index_t j = row % g.keys, head = row / g.keys % g.heads, n = row / g.keys / g.heads;
    const index_t first = j < g.there(n) ? g.first_query(j) : g.queries;
    const T *const key = k.at(n, j, head), *const value = v.at(n, j, head);
    for (index_t start = first; start < g.queries; start += blockDim.x) {
      const N score = product_with_row(g.queries - start, g.width, key, q.at(n, start, head), q.step),
              slope = product_with_row(g.queries - start, g.width, value, dy.at(n, start, head), dy.step);
      const index_t i = start + threadIdx.x;
      if (i >= g.queries) continue;
      const index_t query = (n * g.heads + head) * g.queries + i;
      p[i] = exp(scale * score - log_sums[query]);
      ds[i] = p[i] * (slope - products[query]) * scale;
    }
    const index_t seeing = g.queries - first;
    weighted_rows<T>(seeing, g.width, ds + first, q.at(n, first, head), q.step, 1, dk.at(n, j, head));
    weighted_rows<T>(seeing, g.width, p + first, dy.at(n, first, head), dy.step, 1, dv.at(n, j, head));
  }
}

}  // namespace ridgepoint_device

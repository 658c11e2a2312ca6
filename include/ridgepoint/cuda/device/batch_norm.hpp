// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/columns.hpp>
#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// Returns a centre of a column, to all threads that share it: the mean of up to 64 rows spread over the column.
template <class T, class X>
__device__ T sampled_centre(const column_share& mine, index_t rows, index_t cols, unsigned width, const X* x) {
  const index_t samples = rows < 64 ? rows : 64;
  T sum = 0;
  if (mine.column < cols)
    for (index_t k = mine.lane; k < samples; k += mine.lanes) sum += x[k * rows / samples * cols + mine.column];
  return centre_near(sum_of_lanes(sum, width) / static_cast<T>(samples));
}

/// parts ← Σ (x − centre) and Σ (x − centre)²; x may be stored in a shorter type than T, which sums are computed in.
template <class T, class X = T>
__global__ void batch_norm_sums(index_t rows, index_t cols, unsigned width, const X* x, T* parts) {
  const T centre = sampled_centre<T>(share_of_columns(cols, width), rows, cols, width, x);
  sum_columns(rows, cols, width, parts, [&](index_t row, index_t column, two_sums<T>& sums) {
    const T d = x[row * cols + column] - centre;
    sums.first += d;
    sums.second += d * d;
  });
}
/// Computes mean, inverse and, unless null, moving statistics from the parts, one block per tile; scaled(0, 1 and 2,
/// column) ← centre, rest and gamma·inverse.
template <class T, class X = T>
__global__ void batch_norm_moments(T moved, T epsilon, index_t rows, index_t cols, unsigned width, index_t count,
                                   const X* x, const T* gamma, const T* parts, T* mean, T* inverse, T* moving_mean,
                                   T* moving_variance, T* scaled) {
  const column_share mine = share_of_columns(cols, width);
  const T centre = sampled_centre<T>(mine, rows, cols, width, x);
  const two_sums<T> sums = sums_of_parts(mine, cols, width, count, parts);
  moments<T> m = moments_about(centre, sums.first, sums.second, rows, epsilon);
  const bool anew = mine.column < cols && overflowed(m);
  double variance = static_cast<double>(m.variance);
  if (sum_of_block(anew ? 1U : 0U) > 0) {
    double of_column = 0;
    const moments<T> wide = moments_in_double<T>(
        rows, epsilon, of_column,
        [&](const auto& use) {
          if (mine.column < cols)
            for (index_t i = mine.first; i < rows; i += mine.stride) use(x[i * cols + mine.column]);
        },
        [&](double part) { return sum_of_lanes(part, width); });
    if (anew) m = wide, variance = of_column;
  }
  if (mine.lane != 0 || mine.column >= cols) return;
  const index_t c = mine.column;
  mean[c] = m.centre + m.rest;
  inverse[c] = m.inverse;
  scaled[c] = m.centre;
  scaled[cols + c] = m.rest;
  scaled[2 * cols + c] = gamma[c] * m.inverse;
  if (moving_mean == nullptr) return;
  const T unbiased = static_cast<T>(rows) / static_cast<T>(rows > 1 ? rows - 1 : 1);
  moving_mean[c] += (m.centre + m.rest - moving_mean[c]) * moved;
  if (anew) moving_variance[c] += static_cast<T>((variance * unbiased - moving_variance[c]) * moved);
  else moving_variance[c] += (m.variance * unbiased - moving_variance[c]) * moved;
}
/// y ← ((x − centre) − rest)·scale + beta.
template <class T>
__global__ void batch_norm(index_t rows, index_t cols, unsigned width, const T* x, const T* scaled, const T* beta,
                           T* y) {
  const column_share mine = share_of_columns(cols, width);
  if (mine.column >= cols) return;
  const index_t c = mine.column;
  const T centre = scaled[c], rest = scaled[cols + c], scale = scaled[2 * cols + c], shift = beta[c];
  for (index_t i = mine.first * cols + c; i < rows * cols; i += mine.stride * cols)
    y[i] = normalised(x[i], centre, rest, scale, shift);
}
/// dx ← gamma·inverse·(dy − dbeta / rows − (x − mean)·inverse·dgamma / rows); dx may be dy.
template <class T>
__global__ void batch_norm_backward(index_t rows, index_t cols, unsigned width, const T* x, const T* gamma,
                                    const T* mean, const T* inverse, const T* dgamma, const T* dbeta, const T* dy,
                                    T* dx) {
  const column_share mine = share_of_columns(cols, width);
  if (mine.column >= cols) return;
  const index_t c = mine.column;
  const T share = T(1) / static_cast<T>(rows), g = gamma[c], m = mean[c], s = inverse[c], dg = dgamma[c], db = dbeta[c];
  for (index_t i = mine.first * cols + c; i < rows * cols; i += mine.stride * cols)
    dx[i] = normalised_backward(x[i], dy[i], g, m, s, dg, db, share);
}

/// y ← x·scale + shift with scale = gamma / √(variance + ε), shift = beta − mean·scale; y may be x.
template <class T>
__global__ void batch_norm_inference(T epsilon, index_t rows, index_t cols, unsigned width, const T* x, const T* gamma,
                                     const T* beta, const T* mean, const T* variance, T* y) {
  const column_share mine = share_of_columns(cols, width);
  if (mine.column >= cols) return;
  const index_t c = mine.column;
  const T g = gamma[c], b = beta[c], m = mean[c], v = variance[c];
  for (index_t i = mine.first * cols + c; i < rows * cols; i += mine.stride * cols)
    y[i] = normalised_by(x[i], g, b, m, v, epsilon);
}
/// folded_w ← w·scale, folded_bias ← beta + (bias − mean)·scale; they may be w and bias, and bias null.
template <class T>
__global__ void fold_batch_norm(T epsilon, index_t lines, index_t cols, unsigned width, const T* w, const T* bias,
                                const T* gamma, const T* beta, const T* mean, const T* variance, T* folded_w,
                                T* folded_bias) {
  const column_share mine = share_of_columns(cols, width);
  if (mine.column >= cols) return;
  const index_t c = mine.column;
  const T scale = gamma[c] * (T(1) / sqrt(variance[c] + epsilon));
  if (mine.first == 0) folded_bias[c] = beta[c] + ((bias == nullptr ? T(0) : bias[c]) - mean[c]) * scale;
  for (index_t i = mine.first * cols + c; i < lines * cols; i += mine.stride * cols) folded_w[i] = w[i] * scale;
}

}  // namespace ridgepoint_device

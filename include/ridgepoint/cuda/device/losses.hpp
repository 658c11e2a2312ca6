// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/step_state.hpp>
#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

constexpr int no_label = -2147483647 - 1;  // ridgepoint::no_label

/// Contribution of a row or a block to the loss of a step.
struct loss_part {
  double loss;
  unsigned correct, ignored;
};

/// Computes the maximum of a row and Σ e^(x − max), in one block.
template <class T>
__device__ void row_sums(index_t cols, const T* x, index_t col_stride, number<T>& max, number<T>& sum) {
  double mine = -infinity();
  for (index_t j = threadIdx.x; j < cols; j += blockDim.x) mine = highest(mine, static_cast<double>(x[j * col_stride]));
  max = static_cast<number<T>>(max_of_block(mine));
  number<T> part = 0;
  for (index_t j = threadIdx.x; j < cols; j += blockDim.x) part += exp(x[j * col_stride] - max);
  sum = sum_of_block(part);
}

/// y(i, :) ← softmax(x(i, :)), one block per row.
template <class T>
__global__ void softmax(index_t rows, index_t cols, const T* x, index_t x_stride, index_t x_col_stride, T* y,
                        index_t y_stride, index_t y_col_stride) {
  for (index_t i = blockIdx.x; i < rows; i += gridDim.x) {
    number<T> max, sum;
    row_sums(cols, x + i * x_stride, x_col_stride, max, sum);
    const number<T> scale = 1 / sum;
    for (index_t j = threadIdx.x; j < cols; j += blockDim.x)
      y[i * y_stride + j * y_col_stride] = exp(x[i * x_stride + j * x_col_stride] - max) * scale;
    __syncthreads();
  }
}

/// *count ← how many labels are `ignored`, in one block.
__global__ void count_ignored(index_t rows, const int* labels, int ignored, unsigned* count) {
  unsigned mine = 0;
  for (index_t i = threadIdx.x; i < rows; i += blockDim.x) mine += labels[i] == ignored ? 1U : 0U;
  const unsigned all = sum_of_block(mine);
  if (threadIdx.x == 0) *count = all;
}

/// Computes for each row, in one block, its part of the loss and, unless dlogits is null, its gradient. ignored_rows:
/// the number of ignored rows; null: no rows are ignored.
template <class T>
__global__ void softmax_cross_entropy(index_t rows, index_t classes, const T* logits, index_t stride, const int* labels,
                                      int ignored, const unsigned* ignored_rows, double weight, T* dlogits,
                                      index_t d_stride, loss_part* parts) {
  const index_t left = rows - (ignored_rows == nullptr ? 0 : static_cast<index_t>(*ignored_rows));
  const auto share = static_cast<number<T>>(weight / static_cast<double>(left > 0 ? left : 1));
  for (index_t i = blockIdx.x; i < rows; i += gridDim.x) {
    const T* const x = logits + i * stride;
    T* const d = dlogits == nullptr ? nullptr : dlogits + i * d_stride;
    const int label = labels[i];
    if (ignored_rows != nullptr && label == ignored) {
      for (index_t j = threadIdx.x; d != nullptr && j < classes; j += blockDim.x) d[j] = T(0);
      if (threadIdx.x == 0) parts[i] = {0.0, 0U, 1U};
      continue;
    }
    number<T> max, sum;
    row_sums(classes, x, 1, max, sum);
    const bool known = label >= 0 && label < classes;
    const number<T> nan = static_cast<number<T>>(infinity() - infinity()), chosen = known ? number<T>(x[label]) : nan;
    const bool is_highest = known && chosen == max;
    unsigned before = 0;  // earlier classes with the same maximum
    for (index_t j = threadIdx.x; is_highest && j < label; j += blockDim.x) before += x[j] == max ? 1U : 0U;
    const bool correct = sum_of_block(before) == 0 && is_highest;
    const number<T> scale = known ? share / sum : nan;
    for (index_t j = threadIdx.x; d != nullptr && j < classes; j += blockDim.x)
      d[j] = exp(x[j] - max) * scale - (j == label ? share : 0);
    if (threadIdx.x == 0)
      parts[i] = {static_cast<double>(log(sum)) + (static_cast<double>(max) - static_cast<double>(chosen)),
                  correct ? 1U : 0U, 0U};
    __syncthreads();
  }
}

/// parts ← Σ (y − target)² per block, dy ← scale·(y − target) unless null.
template <class T>
__global__ void mse(index_t size, const T* y, const T* target, number<T> scale, T* dy, loss_part* parts) {
  double loss = 0;
  for (index_t i = first_element(); i < size; i += element_stride()) {
    const number<T> error = y[i] - target[i];
    loss += static_cast<double>(error) * static_cast<double>(error);
    if (dy != nullptr) dy[i] = scale * error;
  }
  const double sum = sum_of_block(loss);
  if (threadIdx.x == 0) parts[blockIdx.x] = {sum, 0U, 0U};
}

/// parts ← the cross entropy of logits y and targets t, max(y, 0) − y·t + ln(1 + e^−|y|); dy ← scale·(sigmoid(y) − t).
template <class T>
__global__ void binary_cross_entropy(index_t size, const T* y, const T* target, number<T> scale, T* dy,
                                     loss_part* parts) {
  using N = number<T>;
  double loss = 0;
  unsigned correct = 0;
  for (index_t i = first_element(); i < size; i += element_stride()) {
    const N x = y[i], t = target[i];
    loss += static_cast<double>((x < N(0) ? N(0) : x) - x * t + log1p(exp(-fabs(x))));
    correct += (x > N(0)) == (t > N(0.5)) ? 1U : 0U;
    if (dy != nullptr) dy[i] = scale * (N(1) / (N(1) + exp(-x)) - t);
  }
  const double sum = sum_of_block(loss);
  const unsigned right = sum_of_block(correct);
  if (threadIdx.x == 0) parts[blockIdx.x] = {sum, right, 0U};
}

/// parts ← the focal loss of a sample's `logits` and the Huber loss of its `boxes`; unless dy is null, dy ← their
/// gradients; dy may be y or target. See ridgepoint::detection_args.
template <class T>
__global__ void detection(double alpha, double delta, double box_weight, double scale, index_t samples, index_t logits,
                          index_t boxes, const T* y, const T* target, T* dy, loss_part* parts) {
  const T there_factor = static_cast<T>(alpha), other_factor = static_cast<T>(1 - alpha);
  const T there_slope = static_cast<T>(-scale * alpha), other_slope = static_cast<T>(scale * (1 - alpha));
  const T bend = static_cast<T>(delta), half_bend = static_cast<T>(delta / 2), box_factor = static_cast<T>(box_weight),
          box_slope = static_cast<T>(scale * box_weight);
  double loss = 0;
  unsigned correct = 0;
  for (index_t i = first_element(); i < samples * (logits + boxes); i += element_stride()) {
    const T value = y[i], t = target[i];
    T slope;
    if (i % (logits + boxes) < logits) {
      const bool there = t > T(0.5);
      const T z = there ? value : -value, r = T(1) / (T(1) + exp(z));
      const T l = (z < T(0) ? -z : T(0)) + log1p(exp(-fabs(z)));
      loss += static_cast<double>((there ? there_factor : other_factor) * (r * r) * l);
      correct += (value > T(0)) == there ? 1U : 0U;
      slope = (there ? there_slope : other_slope) * (r * r * (T(2) * (T(1) - r) * l + r));
    } else {
      const T error = t == t ? value - t : value - value, size = fabs(error);
      const bool beyond = size > bend;
      loss += static_cast<double>(box_factor * (beyond ? bend * (size - half_bend) : T(0.5) * error * error));
      slope = box_slope * (!beyond ? error : error < T(0) ? -bend : bend);
    }
    if (dy != nullptr) dy[i] = slope;
  }
  const double sum = sum_of_block(loss);
  const unsigned right = sum_of_block(correct);
  if (threadIdx.x == 0) parts[blockIdx.x] = {sum, right, 0U};
}

/// Computes the loss of a step from its parts, in one block: their sum ÷ (divisor − ignored rows). *ignored_rows,
/// unless null, ← the number of ignored rows.
__global__ void gather_loss(index_t count, const loss_part* parts, double divisor, unsigned* ignored_rows,
                            step_state* state) {
  double loss = 0;
  unsigned correct = 0, ignored = 0;
  for (index_t i = threadIdx.x; i < count; i += blockDim.x) {
    loss += parts[i].loss;
    correct += parts[i].correct;
    ignored += parts[i].ignored;
  }
  loss = sum_of_block(loss);
  correct = sum_of_block(correct);
  ignored = sum_of_block(ignored);
  if (threadIdx.x != 0) return;
  const double left = divisor - static_cast<double>(ignored);
  state->loss = loss / (left > 1 ? left : 1.0);
  state->correct = correct;
  if (ignored_rows != nullptr) *ignored_rows = ignored;
}

}  // namespace ridgepoint_device

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/activation.hpp>
#include <ridgepoint/cuda/device/threads.hpp>

/// \file
/// One step of recurrent cells, one thread per value of the state. A step's samples are a matrix with a stride between
/// rows; null states are zeros. A state may be written in place.
namespace ridgepoint_device {

/// Returns whether the mask skips this step of sample i.
__device__ inline bool is_skipped(const int* mask, index_t stride, index_t i) {
  return mask != nullptr && mask[i * stride] == 0;
}
template <class T>
__device__ T given(const T* values, index_t at) {
  return values == nullptr ? T(0) : values[at];
}

/// h ← f(z + bias).
template <class T>
__global__ void rnn_step(index_t n, index_t units, activation f, const T* z, index_t z_stride, const T* bias,
                         const int* mask, index_t mask_stride, const T* before, index_t before_stride, T* h,
                         index_t h_stride, T* last) {
  for (index_t e = first_element(); e < n * units; e += element_stride()) {
    const index_t i = e / units, j = e % units;
    const T state = is_skipped(mask, mask_stride, i) ? given(before, i * before_stride + j)
                                                     : activated(f, z[i * z_stride + j] + given(bias, j), T(0));
    h[i * h_stride + j] = state;
    if (last != nullptr) last[e] = state;
  }
}
/// da ← f'(y)·(dh + dy); held, unless null, ← the gradient that passes unchanged through a skipped step.
template <class T>
__global__ void rnn_step_back(index_t n, index_t units, activation f, const T* y, index_t y_stride, const int* mask,
                              index_t mask_stride, const T* dh, const T* dy, index_t dy_stride, T* da,
                              index_t da_stride, T* held) {
  for (index_t e = first_element(); e < n * units; e += element_stride()) {
    const index_t i = e / units, j = e % units;
    const bool skipped = is_skipped(mask, mask_stride, i);
    const T d = given(dh, e) + given(dy, i * dy_stride + j);
    da[i * da_stride + j] = skipped ? T(0) : activated_backward(f, y[i * y_stride + j], d, T(0));
    if (held != nullptr) held[e] = skipped ? d : T(0);
  }
}

/// i, f, g, o ← σ, σ, tanh, σ of z + bias; c ← f·c + i·g; h ← o·tanh(c).
template <class T>
__global__ void lstm_step(index_t n, index_t units, activation gate, const T* z, index_t z_stride, const T* bias,
                          const int* mask, index_t mask_stride, const T* c_before, const T* h_before,
                          index_t h_before_stride, T* c, T* gates, T* h, index_t h_stride, T* last, T* last_c) {
  for (index_t e = first_element(); e < n * units; e += element_stride()) {
    const index_t i = e / units, j = e % units;
    const bool skipped = is_skipped(mask, mask_stride, i);
    T value[4];
    for (int k = 0; k < 4; ++k) {
      const T sum = z[i * z_stride + k * units + j] + given(bias, k * units + j);
      value[k] = activated(k == 2 ? activation::tanh : gate, sum, T(0));
      if (gates != nullptr) gates[(i * 4 + k) * units + j] = skipped ? T(0) : value[k];
    }
    const T was = given(c_before, e), cell = skipped ? was : value[1] * was + value[0] * value[2];
    const T state = skipped ? given(h_before, i * h_before_stride + j) : value[3] * ::tanh(cell);
    c[e] = cell;
    h[i * h_stride + j] = state;
    if (last != nullptr) last[e] = state;
    if (last_c != nullptr) last_c[e] = cell;
  }
}
/// With dh + dy as dh: dc ← dc + dh·o·(1 − tanh²(c)); da ← dc·g, dc·c(t − 1), dc·i, dh·tanh(c), each through its
/// activation; dc_before ← dc·f; held as in rnn_step_back().
template <class T>
__global__ void lstm_step_back(index_t n, index_t units, activation gate, const int* mask, index_t mask_stride,
                               const T* gates, const T* c, const T* c_before, const T* dh, const T* dy,
                               index_t dy_stride, const T* dc, T* dc_before, T* da, index_t da_stride, T* held) {
  for (index_t e = first_element(); e < n * units; e += element_stride()) {
    const index_t i = e / units, j = e % units;
    const bool skipped = is_skipped(mask, mask_stride, i);
    const T d = given(dh, e) + given(dy, i * dy_stride + j), cell_gradient = given(dc, e);
    const T* const g = gates + i * 4 * units + j;
    const T in = g[0], forget = g[units], candidate = g[2 * units], out = g[3 * units];
    const T tc = ::tanh(c[e]), all = cell_gradient + d * out * (T(1) - tc * tc);
    T* const to = da + i * da_stride + j;
    to[0] = skipped ? T(0) : activated_backward(gate, in, all * candidate, T(0));
    to[units] = skipped ? T(0) : activated_backward(gate, forget, all * given(c_before, e), T(0));
    to[2 * units] = skipped ? T(0) : activated_backward(activation::tanh, candidate, all * in, T(0));
    to[3 * units] = skipped ? T(0) : activated_backward(gate, out, d * tc, T(0));
    dc_before[e] = skipped ? cell_gradient : all * forget;
    if (held != nullptr) held[e] = skipped ? d : T(0);
  }
}

/// state ← before where the step is skipped, and last ← state unless null.
template <class T>
__global__ void hold_state(index_t n, index_t width, const int* mask, index_t mask_stride, const T* before,
                           index_t before_stride, T* state, index_t stride, T* last) {
  for (index_t e = first_element(); e < n * width; e += element_stride()) {
    const index_t i = e / width, j = e % width;
    T& at = state[i * stride + j];
    if (is_skipped(mask, mask_stride, i)) at = given(before, i * before_stride + j);
    if (last != nullptr) last[e] = at;
  }
}
/// d ← dh + dy, 0 where the step is skipped; held as in rnn_step_back().
template <class T>
__global__ void state_gradient(index_t n, index_t width, const int* mask, index_t mask_stride, const T* dh, const T* dy,
                               index_t dy_stride, T* d, T* held) {
  for (index_t e = first_element(); e < n * width; e += element_stride()) {
    const index_t i = e / width;
    const bool skipped = is_skipped(mask, mask_stride, i);
    const T sum = given(dh, e) + given(dy, i * dy_stride + e % width);
    d[e] = skipped ? T(0) : sum;
    if (held != nullptr) held[e] = skipped ? sum : T(0);
  }
}
/// to(t, i, ·) ← factor∘the state before step t: y(t − 1, i, ·), or h0 for the first step. factor: lines of the
/// samples, step after step; null: ones.
template <class T>
__global__ void states_before(index_t steps, index_t n, index_t width, const T* y, index_t y_step, index_t y_sample,
                              const T* h0, const T* factor, index_t factor_stride, T* to, index_t to_step,
                              index_t to_sample) {
  for (index_t e = first_element(); e < steps * n * width; e += element_stride()) {
    const index_t row = e / width, j = e % width, t = row / n, i = row % n;
    const T state = t > 0 ? y[(t - 1) * y_step + i * y_sample + j] : given(h0, i * width + j);
    to[t * to_step + i * to_sample + j] = factor == nullptr ? state : factor[row * factor_stride + j] * state;
  }
}

}  // namespace ridgepoint_device

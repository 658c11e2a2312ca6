// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/recurrent.hpp>

namespace ridgepoint_device {

/// Reset after: r, z ← σ of x + h + their biases, p ← h_n + recurrent bias, n ← tanh(x_n + bias + r·p); h ← (1 − z)·n +
/// z·h. x, h: products of the input and of the previous state; null h: zeros.
template <class T>
__global__ void gru_step_after(index_t n, index_t units, activation gate, const T* x, index_t x_stride,
                               const T* product, const T* bias, const T* recurrent_bias, const int* mask,
                               index_t mask_stride, const T* before, index_t before_stride, T* gates, T* h,
                               index_t h_stride, T* last) {
  for (index_t e = first_element(); e < n * units; e += element_stride()) {
    const index_t i = e / units, j = e % units;
    const bool skipped = is_skipped(mask, mask_stride, i);
    const T was = given(before, i * before_stride + j);
    T of_x[3], of_h[3];
    for (int k = 0; k < 3; ++k) {
      const index_t column = k * units + j;
      of_x[k] = x[i * x_stride + column] + given(bias, column);
      of_h[k] = given(product, i * 3 * units + column) + given(recurrent_bias, column);
    }
    const T r = activated(gate, of_x[0] + of_h[0], T(0)), z = activated(gate, of_x[1] + of_h[1], T(0));
    const T candidate = ::tanh(of_x[2] + r * of_h[2]);
    const T state = skipped ? was : (T(1) - z) * candidate + z * was;
    if (gates != nullptr) {
      T* const to = gates + i * 4 * units + j;
      to[0] = skipped ? T(0) : r;
      to[units] = skipped ? T(0) : z;
      to[2 * units] = skipped ? T(0) : candidate;
      to[3 * units] = skipped ? T(0) : of_h[2];
    }
    h[i * h_stride + j] = state;
    if (last != nullptr) last[e] = state;
  }
}
/// Reset before, first half: r, z ← σ of sums + bias, in place; reset ← r∘h.
template <class T>
__global__ void gru_reset_state(index_t n, index_t units, activation gate, T* sums, index_t stride, const T* bias,
                                const T* before, index_t before_stride, T* reset) {
  for (index_t e = first_element(); e < n * units; e += element_stride()) {
    const index_t i = e / units, j = e % units;
    T* const at = sums + i * stride + j;
    at[0] = activated(gate, at[0] + given(bias, j), T(0));
    at[units] = activated(gate, at[units] + given(bias, units + j), T(0));
    reset[e] = at[0] * given(before, i * before_stride + j);
  }
}
/// Reset before, second half: n ← tanh(sums_n + bias), h ← (1 − z)·n + z·h.
template <class T>
__global__ void gru_step_before(index_t n, index_t units, const T* sums, index_t stride, const T* bias, const int* mask,
                                index_t mask_stride, const T* before, index_t before_stride, T* gates, T* h,
                                index_t h_stride, T* last) {
  for (index_t e = first_element(); e < n * units; e += element_stride()) {
    const index_t i = e / units, j = e % units;
    const bool skipped = is_skipped(mask, mask_stride, i);
    const T* const at = sums + i * stride + j;
    const T was = given(before, i * before_stride + j), z = at[units];
    const T candidate = ::tanh(at[2 * units] + given(bias, 2 * units + j));
    const T state = skipped ? was : (T(1) - z) * candidate + z * was;
    if (gates != nullptr) {
      T* const to = gates + i * 3 * units + j;
      to[0] = skipped ? T(0) : at[0];
      to[units] = skipped ? T(0) : z;
      to[2 * units] = skipped ? T(0) : candidate;
    }
    h[i * h_stride + j] = state;
    if (last != nullptr) last[e] = state;
  }
}

/// With d = dh + dy: da_z, da_n ← d·(h − n), d·(1 − z) through their activations. Reset after, also da_r and, for the
/// product with the state, drecurrent ← da_r, da_z, r·da_n; null with reset before. dh_before ← d·z, or d where the
/// step is skipped.
template <class T>
__global__ void gru_step_back(index_t n, index_t units, activation gate, const int* mask, index_t mask_stride,
                              const T* gates, const T* before, index_t before_stride, const T* dh, const T* dy,
                              index_t dy_stride, T* da, T* drecurrent, index_t da_stride, T* dh_before) {
  const index_t saved = drecurrent == nullptr ? 3 : 4;
  for (index_t e = first_element(); e < n * units; e += element_stride()) {
    const index_t i = e / units, j = e % units;
    const bool skipped = is_skipped(mask, mask_stride, i);
    const T d = given(dh, e) + given(dy, i * dy_stride + j);
    const T* const g = gates + i * saved * units + j;
    const T r = g[0], z = g[units], candidate = g[2 * units];
    const T was = given(before, i * before_stride + j);
    const T dz = skipped ? T(0) : activated_backward(gate, z, d * (was - candidate), T(0));
    const T dn = skipped ? T(0) : activated_backward(activation::tanh, candidate, d * (T(1) - z), T(0));
    T* const to = da + i * da_stride + j;
    to[units] = dz;
    to[2 * units] = dn;
    if (drecurrent != nullptr) {
      const T dr = skipped ? T(0) : activated_backward(gate, r, dn * g[3 * units], T(0));
      T* const through = drecurrent + i * da_stride + j;
      to[0] = through[0] = dr;
      through[units] = dz;
      through[2 * units] = dn * r;
    }
    dh_before[e] = skipped ? d : d * z;
  }
}
/// Reset before: from the gradient of r∘h, da_r ← dreset·h through the gate, dh_before += dreset·r. dreset is zero
/// where the step is skipped.
template <class T>
__global__ void gru_reset_back(index_t n, index_t units, activation gate, const T* gates, const T* before,
                               index_t before_stride, const T* dreset, T* da, index_t da_stride, T* dh_before) {
  for (index_t e = first_element(); e < n * units; e += element_stride()) {
    const index_t i = e / units, j = e % units;
    const T r = gates[i * 3 * units + j];
    da[i * da_stride + j] = activated_backward(gate, r, dreset[e] * given(before, i * before_stride + j), T(0));
    dh_before[e] += dreset[e] * r;
  }
}

}  // namespace ridgepoint_device

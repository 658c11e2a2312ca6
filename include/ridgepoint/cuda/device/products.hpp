// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/activation.hpp>
#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// C ← f(α·A·B + β·C + bias) with any strides, one thread per element: for views that cuBLAS does not support.
template <class T>
__global__ void gemm(index_t m, index_t n, index_t k, const T* a, index_t a_row, index_t a_col, const T* b,
                     index_t b_row, index_t b_col, T* c, index_t c_row, index_t c_col, number<T> alpha, number<T> beta,
                     const T* bias, activation f) {
  for (index_t e = first_element(); e < m * n; e += element_stride()) {
    const index_t i = e / n, j = e % n;
    number<T> sum = 0;
    for (index_t p = 0; p < k; ++p) sum += a[i * a_row + p * a_col] * b[p * b_row + j * b_col];
    T& out = c[i * c_row + j * c_col];
    sum = alpha * sum + (beta == 0 ? 0 : beta * out) + (bias == nullptr ? T(0) : bias[j]);
    out = activated<number<T>>(f, sum, 0);
  }
}

/// C ← f(sums + β·C + bias), lines of C with stride `stride`, dense sums: used if C would round the sums first.
template <class T>
__global__ void finish_product(index_t m, divisor n, const number<T>* sums, number<T> beta, const T* bias, T* c,
                               index_t stride, activation f) {
  for (index_t e = first_element(); e < m * n; e += element_stride()) {
    const auto [i, j] = divide(e, n);
    T& out = c[i * stride + j];
    const number<T> sum = sums[e] + (beta == 0 ? 0 : beta * out) + (bias == nullptr ? T(0) : bias[j]);
    out = activated<number<T>>(f, sum, 0);
  }
}

}  // namespace ridgepoint_device

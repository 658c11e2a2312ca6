// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/simd/math.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// c ← α·product + β·c + bias, then relu, for one element: the epilogue of a register tile.
template <class T>
void finish_element(const gemm_options<T>& options, index_t column, T product, T& c) noexcept {
  T value = options.alpha * product;
  if (!exactly(options.beta, T(0))) value += options.beta * c;
  if (options.bias != nullptr) value += options.bias[column];
  c = options.act == activation::relu && value < T(0) ? T(0) : value;
}

/// c ← f(c) for activations that are not applied in registers: relu6, sigmoid, tanh.
/// Requires: c.col_stride == 1.
template <class T>
void finish_activation(activation f, matrix_view<T> c) noexcept {
  if (f == activation::none || f == activation::relu) return;
  constexpr index_t lanes = simd::lanes<T>;
  const auto apply = [&](auto function) {
    for (index_t i = 0; i < c.rows; ++i) {
      T* const row = c.data + i * c.row_stride;
      index_t j = 0;
      for (; j + lanes <= c.cols; j += lanes) simd::store(row + j, function(simd::load(row + j)));
      if (j < c.cols) simd::store_partial(row + j, function(simd::load_partial(row + j, c.cols - j)), c.cols - j);
    }
  };
  if (f == activation::relu6) apply([](simd::batch<T> x) { return relu6<T>{}(x)[0]; });
  else if (f == activation::sigmoid) apply([](simd::batch<T> x) { return simd::sigmoid<T>(x); });
  else apply([](simd::batch<T> x) { return simd::tanh<T>(x); });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

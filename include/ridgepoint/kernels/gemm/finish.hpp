// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

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

/// Elements with a stride of `step`; none if data is null.
template <class T>
struct strided {
  T* data = nullptr;
  index_t step = 1;
};

/// c ← α·product + β·c + bias, then relu, for n elements of a row or column; `product` may be c. options.bias is not
/// used: `bias` has one value per element. Each option is decided per register: left to the compiler, the loop is
/// versioned for every combination of them, or reads a missing bias through a mask, which takes hundreds of cycles.
template <class T>
RIDGEPOINT_NOINLINE void finish_line(const gemm_options<T>& options, index_t n, strided<const T> bias,
                                     strided<const T> product, strided<T> c) noexcept {
  using vec = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  using line = std::array<T, static_cast<std::size_t>(lanes)>;
  const vec alpha(options.alpha), beta(options.beta);
  const bool adds = !exactly(options.beta, T(0)), relu = options.act == activation::relu;
  for (index_t j = 0; j < n; j += lanes) {
    const index_t count = (std::min)(lanes, n - j);
    const auto load = [&](const T* data, index_t step) {
      if (step == 1) return count == lanes ? simd::load(data + j) : simd::load_partial(data + j, count);
      if (step == 0) return vec(*data);
      line each = {};
      for (index_t q = 0; q < count; ++q) each[static_cast<std::size_t>(q)] = data[(j + q) * step];
      return simd::load(each.data());
    };
    vec x = alpha * load(product.data, product.step);
    if (adds) x = simd::fma(beta, load(c.data, c.step), x);
    if (bias.data != nullptr) x = x + load(bias.data, bias.step);
    if (relu) x = (simd::max)(x, vec(T(0)));
    if (c.step == 1) {
      if (count == lanes) simd::store(c.data + j, x);
      else simd::store_partial(c.data + j, x, count);
    } else {
      line each;
      simd::store(each.data(), x);
      T* to = c.data + j * c.step;
      if (count == lanes) {
        RIDGEPOINT_UNROLL
        for (std::size_t q = 0; q < each.size(); ++q, to = simd::next_line(to, c.step)) *to = each[q];
      } else {
        for (index_t q = 0; q < count; ++q) to[q * c.step] = each[static_cast<std::size_t>(q)];
      }
    }
  }
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

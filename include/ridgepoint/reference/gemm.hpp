// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/ops/array_gemm.hpp>
#include <ridgepoint/ops/dense.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/ops/gemm_batched.hpp>
#include <ridgepoint/ops/gemm_packed.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// c(i, j) ← f(α·Σ_p a(i, p)·b(p, j) + β·c(i, j) + bias(j)), summed in double.
template <scalar T>
void execute(const reference_backend&, const gemm_args<T>& g) {
  using wide = accumulator_t<T>;
  using number = compute_t<T>;
  const auto& [alpha, beta, bias, act, no_activation] = g.options;
  for (index_t i = 0; i < g.c.rows; ++i)
    for (index_t j = 0; j < g.c.cols; ++j) {
      wide sum(0);
      for (index_t p = 0; p < g.a.cols; ++p) sum = multiply_add(sum, wide(g.a(i, p)), wide(g.b(p, j)));
      if (!exactly(alpha, number(1))) sum = wide(alpha) * sum;
      if (exactly(beta, number(1))) sum = sum + wide(g.c(i, j));
      else if (!exactly(beta, number(0))) sum = sum + wide(beta) * wide(g.c(i, j));
      if (bias != nullptr) sum = sum + wide(bias[j]);
      g.c(i, j) = T(apply(act, sum));
    }
}

/// y ← f(x·w + bias).
template <scalar T>
void execute(const reference_backend& on, const dense_args<T>& d) {
  execute(on, gemm_args<T>{.a = d.x, .b = d.w, .c = d.y, .options = {.bias = d.bias, .act = d.act}});
}

/// dx ← dy·wᵀ.
template <scalar T>
void execute(const reference_backend& on, const dense_backward_data_args<T>& d) {
  execute(on, gemm_args<T>{.a = d.dy, .b = d.w.transposed(), .c = d.dx});
}

/// dw ← xᵀ·dy, db(j) ← Σ_i dy(i, j), summed in double.
template <scalar T>
void execute(const reference_backend& on, const dense_backward_weights_args<T>& d) {
  using wide = accumulator_t<T>;
  execute(on, gemm_args<T>{.a = d.x.transposed(), .b = d.dy, .c = d.dw});
  if (d.db == nullptr) return;
  for (index_t j = 0; j < d.dy.cols; ++j) {
    wide sum(0);
    for (index_t i = 0; i < d.dy.rows; ++i) sum = sum + wide(d.dy(i, j));
    d.db[j] = T(sum);
  }
}

template <scalar T>
void execute(const reference_backend& on, const gemm_batched_args<T>& g) {
  for (index_t q = 0; q < g.count; ++q) execute(on, g[q]);
}

/// Packed B is row-major without gaps.
template <scalar T>
void execute(const reference_backend&, const pack_b_args<T>& p) {
  if (p.elements != nullptr) *p.elements = p.b.rows * p.b.cols;
  if (p.packed == nullptr) return;
  for (index_t i = 0; i < p.b.rows; ++i)
    for (index_t j = 0; j < p.b.cols; ++j) p.packed[i * p.b.cols + j] = p.b(i, j);
}

template <scalar T>
void execute(const reference_backend& on, const gemm_packed_args<T>& g) {
  execute(on, gemm_args<T>{.a = g.a, .b = {g.packed, g.a.cols, g.c.cols}, .c = g.c, .options = g.options});
}

/// c(i, j) ← (c(i, j) +) Σ over folds of (((0 + a·b) + a·b) + …), every product and sum rounded.
template <array_format Format>
void execute(const reference_backend&, const array_gemm_args<Format>& g) {
  constexpr bool integers = std::same_as<Format, std::int8_t>;
  using sum = std::conditional_t<integers, std::uint32_t, float>;  // unsigned: wraps
  for (index_t i = 0; i < g.c.rows; ++i)
    for (index_t j = 0; j < g.c.cols; ++j) {
      sum total = g.accumulate ? static_cast<sum>(g.c(i, j)) : sum(0);
      for (index_t p0 = 0; p0 < g.a.cols; p0 += g.depth) {
        sum partial(0);
        for (index_t p = p0; p < (std::min)(p0 + g.depth, g.a.cols); ++p) {
          const Format x(g.a(i, p)), y(g.b(p, j));
          if constexpr (integers) partial += static_cast<sum>(x * y);
          else {
            const volatile float product = static_cast<float>(x) * static_cast<float>(y);  // rounded before the sum
            partial += product;
          }
        }
        total += partial;
      }
      g.c(i, j) = static_cast<array_sum_t<Format>>(total);
    }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

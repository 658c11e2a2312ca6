// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/array_product.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/ops/gemm_batched.hpp>
#include <ridgepoint/reference/gemm_packed.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace systolic {

/// c ← f(c + bias) on the vector unit: a product of depth 0 is nothing else.
template <backend Host>
void finish_on_vector_unit(const mxu<Host>& on, matrix_view<float> c, const float* bias, activation act,
                           float scale = 1) {
  if (exactly(scale, 1) && bias == nullptr && act == activation::none) return;
  execute(on.host(), gemm_args<float>{.a = {nullptr, c.rows, 0},
                                      .b = {nullptr, 0, c.cols},
                                      .c = c,
                                      .options = {.beta = scale, .bias = bias, .act = act}});
}

}  // namespace systolic

/// C ← f(α·product + β·C + bias): the product is the array's, the rest the vector unit's, in fp32.
template <backend Host>
void execute(const mxu<Host>& on, const gemm_args<float>& g) {
  const auto& [alpha, beta, bias, act, no_activation] = g.options;
  const index_t m = g.c.rows, n = g.c.cols;
  if (m == 0 || n == 0) return;
  if (exactly(beta, 0) && !exactly(alpha, 0) && (g.c.col_stride == 1 || n == 1)) {
    systolic::array_product(on, g.a, g.b, g.c);
    return systolic::finish_on_vector_unit(on, g.c, bias, act, alpha);
  }
  struct tag;
  const matrix_view<float> product(thread_scratch_of<tag, float>(m * n), m, n);
  systolic::array_product(on, g.a, g.b, product);
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j)
      g.c(i, j) = exactly(beta, 0) ? alpha * product(i, j) : alpha * product(i, j) + beta * g.c(i, j);
  systolic::finish_on_vector_unit(on, g.c, bias, act);
}

template <backend Host>
void execute(const mxu<Host>& on, const gemm_batched_args<float>& g) {
  for (index_t q = 0; q < g.count; ++q) execute(on, g[q]);
}

/// The array reads B row by row whatever the format: packed is row-major without gaps.
template <backend Host>
void execute(const mxu<Host>&, const pack_b_args<float>& p) {
  execute(reference, p);
}
template <backend Host>
void execute(const mxu<Host>& on, const gemm_packed_args<float>& g) {
  execute(on, gemm_args<float>{.a = g.a, .b = {g.packed, g.a.cols, g.c.cols}, .c = g.c, .options = g.options});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

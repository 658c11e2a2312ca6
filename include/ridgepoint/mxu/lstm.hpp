// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/recurrent.hpp>
#include <ridgepoint/ops/lstm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// i, f, g, o from z + h·wh; c ← f·c + i·g; h ← o·tanh(c).
template <backend Host>
void execute(const mxu<Host>& on, const lstm_args<float>& a) {
  const recurrent_geometry g = a.operands.geometry(lstm_gates);
  const index_t u = g.units;
  const auto c = systolic::scratch_matrix<struct lstm_cell_tag>(g.n, u);
  systolic::load(a.c0, c);
  systolic::for_each_step(on, a.operands, g, [&](index_t t, matrix_view<float> z, matrix_view<float> h) {
    systolic::multiply(on, h, {a.operands.wh, u, 4 * u}, z, {.beta = 1});
    for (index_t i = 0; i < g.n; ++i) {
      if (is_skipped(a.operands.mask, t, i)) {
        std::fill_n(&z(i, 0), 4 * u, 0.0F);
        continue;
      }
      for (index_t j = 0; j < u; ++j) {
        float* const gate[] = {&z(i, j), &z(i, u + j), &z(i, 2 * u + j), &z(i, 3 * u + j)};
        for (int k = 0; k < 4; ++k) *gate[k] = systolic::activated(k == 2 ? activation::tanh : a.gate, *gate[k]);
        c(i, j) = *gate[1] * c(i, j) + *gate[0] * *gate[2];
        h(i, j) = *gate[3] * std::tanh(c(i, j));
      }
    }
    if (a.gates != nullptr) std::copy_n(z.data, g.n * 4 * u, a.gates + t * g.n * 4 * u);
    if (a.c != nullptr) std::copy_n(c.data, g.n * u, a.c + t * g.n * u);
    if (a.last_c != nullptr && t == g.steps - 1) std::copy_n(c.data, g.n * u, a.last_c);
  });
}

/// dc ← dc + dh·o·(1 − tanh²(c)); di = dc·g, df = dc·c(t − 1), dg = dc·i, do = dh·tanh(c), each through its activation;
/// dc ← dc·f; dwh += hᵀ·da; dh ← da·whᵀ.
template <backend Host>
void execute(const mxu<Host>& on, const lstm_backward_args<float>& a) {
  const recurrent_geometry g = a.operands.geometry(lstm_gates);
  const index_t u = g.units;
  const matrix_view<float> dwh(a.operands.dwh, u, 4 * u);
  const auto dc = systolic::scratch_matrix<struct lstm_cell_gradient_tag>(g.n, u);
  systolic::load(nullptr, dwh);
  systolic::load(a.dlast_c, dc);
  systolic::for_each_step_back(
      on, a.operands, g, [&](index_t t, matrix_view<const float> h, matrix_view<float> dh, matrix_view<float> da) {
        const matrix_view<const float> gates(a.gates + t * g.n * 4 * u, g.n, 4 * u), c(a.c + t * g.n * u, g.n, u);
        const float* const before = t > 0 ? a.c + (t - 1) * g.n * u : a.c0;
        for (index_t i = 0; i < g.n; ++i) {
          if (is_skipped(a.operands.mask, t, i)) {
            std::fill_n(&da(i, 0), 4 * u, 0.0F);
            continue;
          }
          for (index_t j = 0; j < u; ++j) {
            const float in = gates(i, j), forget = gates(i, u + j), candidate = gates(i, 2 * u + j),
                        out = gates(i, 3 * u + j), tc = std::tanh(c(i, j)),
                        c_before = before == nullptr ? 0.0F : before[i * u + j];
            dc(i, j) += dh(i, j) * out * (1 - tc * tc);
            da(i, j) = apply_backward(a.gate, in, dc(i, j) * candidate);
            da(i, u + j) = apply_backward(a.gate, forget, dc(i, j) * c_before);
            da(i, 2 * u + j) = apply_backward(activation::tanh, candidate, dc(i, j) * in);
            da(i, 3 * u + j) = apply_backward(a.gate, out, dh(i, j) * tc);
            dc(i, j) *= forget;
          }
        }
        systolic::multiply(on, h.transposed(), da, dwh, {.beta = 1});
        systolic::multiply(on, da, matrix_view<const float>(a.operands.wh, u, 4 * u).transposed(), dh);
      });
  if (a.dc0 != nullptr) std::copy_n(dc.data, g.n * u, a.dc0);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

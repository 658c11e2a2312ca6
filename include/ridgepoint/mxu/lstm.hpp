// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/recurrent.hpp>
#include <ridgepoint/ops/lstm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace systolic {

/// i, f, g, o from their sums z; c ← f·c + i·g; h ← o·tanh(c), but for rows of samples that skip the step. Saves what
/// is wanted of it.
template <class Args>
void lstm_cells(const Args& a, const recurrent_geometry& g, index_t t, matrix_view<float> z, matrix_view<float> c,
                matrix_view<float> h) {
  const index_t u = g.units;
  for (index_t i = 0; i < g.n; ++i) {
    if (is_skipped(a.operands.mask, t, i)) {
      std::fill_n(&z(i, 0), 4 * u, 0.0F);
      continue;
    }
    for (index_t j = 0; j < u; ++j) {
      float* const gate[] = {&z(i, j), &z(i, u + j), &z(i, 2 * u + j), &z(i, 3 * u + j)};
      for (int k = 0; k < 4; ++k) *gate[k] = activated(k == 2 ? activation::tanh : a.gate, *gate[k]);
      c(i, j) = *gate[1] * c(i, j) + *gate[0] * *gate[2];
      h(i, j) = *gate[3] * std::tanh(c(i, j));
    }
  }
  if (a.gates != nullptr) std::copy_n(z.data, g.n * 4 * u, a.gates + t * g.n * 4 * u);
  if (a.c != nullptr) std::copy_n(c.data, g.n * u, a.c + t * g.n * u);
  if (a.last_c != nullptr && t == g.steps - 1) std::copy_n(c.data, g.n * u, a.last_c);
}

/// dc ← dc + dh·o·(1 − tanh²(c)); di = dc·g, df = dc·c(t − 1), dg = dc·i, do = dh·tanh(c), each through its activation;
/// dc ← dc·f.
template <class Args>
void lstm_cells_back(const Args& a, const recurrent_geometry& g, index_t t, matrix_view<const float> dh,
                     matrix_view<float> dc, matrix_view<float> da) {
  const index_t u = g.units;
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
}

}  // namespace systolic

/// i, f, g, o from z + h·wh.
template <backend Host>
void execute(const mxu<Host>& on, const lstm_args<float>& a) {
  const recurrent_geometry g = a.operands.geometry(lstm_gates);
  const auto c = systolic::scratch_matrix<struct lstm_cell_tag>(g.n, g.units);
  systolic::load(a.c0, c);
  systolic::for_each_step(on, a.operands, g, [&](index_t t, matrix_view<float> z, matrix_view<float> h) {
    systolic::multiply(on, h, {a.operands.wh, g.units, g.columns()}, z, {.beta = 1});
    systolic::lstm_cells(a, g, t, z, c, h);
  });
}

/// dwh += hᵀ·da; dh ← da·whᵀ.
template <backend Host>
void execute(const mxu<Host>& on, const lstm_backward_args<float>& a) {
  const recurrent_geometry g = a.operands.geometry(lstm_gates);
  const matrix_view<float> dwh(a.operands.dwh, g.units, g.columns());
  const matrix_view<const float> wh(a.operands.wh, g.units, g.columns());
  const auto dc = systolic::scratch_matrix<struct lstm_cell_gradient_tag>(g.n, g.units);
  systolic::load(nullptr, dwh);
  systolic::load(a.dlast_c, dc);
  systolic::for_each_step_back(
      on, a.operands, g, [&](index_t t, matrix_view<const float> h, matrix_view<float> dh, matrix_view<float> da) {
        systolic::lstm_cells_back(a, g, t, dh, dc, da);
        systolic::multiply(on, h.transposed(), da, dwh, {.beta = 1});
        systolic::multiply(on, da, wh.transposed(), dh);
      });
  if (a.dc0 != nullptr) std::copy_n(dc.data, g.n * g.units, a.dc0);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/recurrent.hpp>
#include <ridgepoint/ops/gru.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// r, z ← σ; n ← tanh of what came in + (r∘h)·wh_n, or with reset-after + r∘(h·wh_n + recurrent_bias_n);
/// h ← (1 − z)·n + z·h.
template <backend Host>
void execute(const mxu<Host>& on, const gru_args<float>& a) {
  const recurrent_geometry g = a.operands.geometry(gru_gates);
  const bool after = a.reset == gru_reset::after;
  const index_t u = g.units, saved = a.saved(a.reset) * u;
  const matrix_view<const float> wh(a.operands.wh, u, 3 * u);
  const float* const bias_n = a.recurrent_bias == nullptr ? nullptr : a.recurrent_bias + 2 * u;
  const auto turned = systolic::scratch_matrix<struct gru_reset_tag>(g.n, u);  // r∘h, or h·wh_n + bias
  systolic::for_each_step(on, a.operands, g, [&](index_t t, matrix_view<float> z, matrix_view<float> h) {
    const auto gates = z.block(0, 0, g.n, 2 * u), candidate = z.block(0, 2 * u, g.n, u);
    systolic::multiply(on, h, wh.block(0, 0, u, 2 * u), gates, {.beta = 1, .bias = a.recurrent_bias});
    for (index_t i = 0; i < g.n; ++i)
      for (index_t j = 0; j < 2 * u; ++j) gates(i, j) = systolic::activated(a.gate, gates(i, j));
    if (after) systolic::multiply(on, h, wh.block(0, 2 * u, u, u), turned, {.bias = bias_n});
    for (index_t i = 0; i < g.n; ++i)
      for (index_t j = 0; j < u; ++j) {
        if (after) candidate(i, j) += gates(i, j) * turned(i, j);
        else turned(i, j) = gates(i, j) * h(i, j);
      }
    if (!after) systolic::multiply(on, turned, wh.block(0, 2 * u, u, u), candidate, {.beta = 1});
    for (index_t i = 0; i < g.n; ++i) {
      if (is_skipped(a.operands.mask, t, i)) {
        std::fill_n(&z(i, 0), 3 * u, 0.0F);
        std::fill_n(&turned(i, 0), u, 0.0F);
        continue;
      }
      for (index_t j = 0; j < u; ++j) {
        candidate(i, j) = std::tanh(candidate(i, j));
        h(i, j) = (1 - gates(i, u + j)) * candidate(i, j) + gates(i, u + j) * h(i, j);
      }
    }
    if (a.gates == nullptr) return;
    const matrix_view<float> kept(a.gates + t * g.n * saved, g.n, saved);
    systolic::copy_rows(z, kept.block(0, 0, g.n, 3 * u));
    if (after) systolic::copy_rows(turned, kept.block(0, 3 * u, g.n, u));
  });
}

/// dn = dh·(1 − z), dz = dh·(h − n), each through its activation; d(r∘h) = dn·wh_nᵀ (reset-after: r∘dn); dr from it;
/// dh ← dh·z + what comes back through wh.
template <backend Host>
void execute(const mxu<Host>& on, const gru_backward_args<float>& a) {
  const recurrent_geometry g = a.operands.geometry(gru_gates);
  const bool after = a.reset == gru_reset::after;
  const index_t u = g.units, saved = gru_args<float>::saved(a.reset) * u;
  const matrix_view<const float> wh(a.operands.wh, u, 3 * u), wh_rz = wh.block(0, 0, u, 2 * u),
                                                              wh_n = wh.block(0, 2 * u, u, u);
  const matrix_view<float> dwh(a.operands.dwh, u, 3 * u);
  const auto dn = systolic::scratch_matrix<struct gru_candidate_tag>(g.n, u),  // of the candidate's recurrent product
      state = systolic::scratch_matrix<struct gru_state_tag>(g.n, u),          // what that product multiplied
      back = systolic::scratch_matrix<struct gru_back_tag>(g.n, u);
  systolic::load(nullptr, dwh);
  if (a.drecurrent_bias != nullptr) std::fill_n(a.drecurrent_bias, 3 * u, 0.0F);
  systolic::for_each_step_back(
      on, a.operands, g, [&](index_t t, matrix_view<const float> h, matrix_view<float> dh, matrix_view<float> da) {
        const matrix_view<const float> gates(a.gates + t * g.n * saved, g.n, saved);
        for (index_t i = 0; i < g.n; ++i)
          for (index_t j = 0; j < u; ++j) {
            const float r = gates(i, j), z = gates(i, u + j), n = gates(i, 2 * u + j);
            da(i, u + j) = apply_backward(a.gate, z, dh(i, j) * (h(i, j) - n));
            da(i, 2 * u + j) = apply_backward(activation::tanh, n, dh(i, j) * (1 - z));
            dn(i, j) = after ? da(i, 2 * u + j) * r : da(i, 2 * u + j);
            if (after) da(i, j) = apply_backward(a.gate, r, da(i, 2 * u + j) * gates(i, 3 * u + j));
            dh(i, j) *= z;
            state(i, j) = after ? h(i, j) : r * h(i, j);
          }
        systolic::multiply(on, dn, wh_n.transposed(), back);
        for (index_t i = 0; i < g.n; ++i)
          for (index_t j = 0; j < u; ++j) {
            if (!after) da(i, j) = apply_backward(a.gate, gates(i, j), back(i, j) * h(i, j));
            dh(i, j) += after ? back(i, j) : back(i, j) * gates(i, j);
          }
        const matrix_view<const float> drz = da.block(0, 0, g.n, 2 * u);
        systolic::multiply(on, h.transposed(), drz, dwh.block(0, 0, u, 2 * u), {.beta = 1});
        systolic::multiply(on, matrix_view<const float>(state).transposed(), dn, dwh.block(0, 2 * u, u, u),
                           {.beta = 1});
        systolic::multiply(on, drz, wh_rz.transposed(), dh, {.beta = 1});
        for (index_t i = 0; a.drecurrent_bias != nullptr && i < g.n; ++i)
          for (index_t j = 0; j < 3 * u; ++j) a.drecurrent_bias[j] += j < 2 * u ? da(i, j) : dn(i, j - 2 * u);
      });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

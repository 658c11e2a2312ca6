// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/recurrent.hpp>
#include <ridgepoint/ops/rnn.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// h ← f(z + h·wh).
template <backend Host>
void execute(const mxu<Host>& on, const rnn_args<float>& a) {
  const recurrent_geometry g = a.operands.geometry(rnn_gates);
  systolic::for_each_step(on, a.operands, g, [&](index_t t, matrix_view<float> z, matrix_view<float> h) {
    systolic::multiply(on, h, {a.operands.wh, g.units, g.units}, z, {.beta = 1});
    for (index_t i = 0; i < g.n; ++i)
      for (index_t j = 0; j < g.units && !is_skipped(a.operands.mask, t, i); ++j)
        h(i, j) = systolic::activated(a.act, z(i, j));
  });
}

/// da ← f'(h(t))·dh; dwh += hᵀ·da; dh ← da·whᵀ.
template <backend Host>
void execute(const mxu<Host>& on, const rnn_backward_args<float>& a) {
  const recurrent_geometry g = a.operands.geometry(rnn_gates);
  const matrix_view<float> dwh(a.operands.dwh, g.units, g.units);
  systolic::load(nullptr, dwh);
  systolic::for_each_step_back(
      on, a.operands, g, [&](index_t t, matrix_view<const float> h, matrix_view<float> dh, matrix_view<float> da) {
        for (index_t i = 0; i < g.n; ++i)
          for (index_t j = 0; j < g.units; ++j) da(i, j) = apply_backward(a.act, a.operands.y(t, i, j), dh(i, j));
        systolic::multiply(on, h.transposed(), da, dwh, {.beta = 1});
        systolic::multiply(on, da, matrix_view<const float>(a.operands.wh, g.units, g.units).transposed(), dh);
      });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/lstm.hpp>
#include <ridgepoint/ops/projected_lstm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// i, f, g, o from z + r·wh; r ← h·wp.
template <backend Host>
void execute(const mxu<Host>& on, const projected_lstm_args<float>& a) {
  const recurrent_geometry g = a.geometry();
  const auto c = systolic::scratch_matrix<struct lstm_cell_tag>(g.n, g.units),
             h = systolic::scratch_matrix<struct projected_cell_tag>(g.n, g.units),
             next = systolic::scratch_matrix<struct projected_tag>(g.n, g.projected);
  systolic::load(a.c0, c);
  systolic::for_each_step(on, a.operands, g, [&](index_t t, matrix_view<float> z, matrix_view<float> r) {
    systolic::multiply(on, r, {a.operands.wh, g.projected, g.columns()}, z, {.beta = 1});
    systolic::load(nullptr, h);
    systolic::lstm_cells(a, g, t, z, c, h);
    if (a.h != nullptr) std::copy_n(h.data, g.n * g.units, a.h + t * g.n * g.units);
    systolic::multiply(on, h, {a.wp, g.units, g.projected}, next);
    for (index_t i = 0; i < g.n; ++i)
      if (!is_skipped(a.operands.mask, t, i)) std::copy_n(&next(i, 0), g.projected, &r(i, 0));
  });
}

/// dh ← dr·wpᵀ; dwp += hᵀ·dr; dwh += rᵀ·da; dr ← da·whᵀ.
template <backend Host>
void execute(const mxu<Host>& on, const projected_lstm_backward_args<float>& a) {
  const recurrent_geometry g = a.geometry();
  const matrix_view<float> dwh(a.operands.dwh, g.projected, g.columns()), dwp(a.dwp, g.units, g.projected);
  const matrix_view<const float> wh(a.operands.wh, g.projected, g.columns()), wp(a.wp, g.units, g.projected);
  const auto dc = systolic::scratch_matrix<struct lstm_cell_gradient_tag>(g.n, g.units),
             dh = systolic::scratch_matrix<struct projected_cell_gradient_tag>(g.n, g.units);
  systolic::load(nullptr, dwh);
  systolic::load(nullptr, dwp);
  systolic::load(a.dlast_c, dc);
  systolic::for_each_step_back(
      on, a.operands, g, [&](index_t t, matrix_view<const float> r, matrix_view<float> dr, matrix_view<float> da) {
        const matrix_view<const float> h(a.h + t * g.n * g.units, g.n, g.units);
        systolic::multiply(on, h.transposed(), dr, dwp, {.beta = 1});
        systolic::multiply(on, dr, wp.transposed(), dh);
        systolic::lstm_cells_back(a, g, t, dh, dc, da);
        systolic::multiply(on, r.transposed(), da, dwh, {.beta = 1});
        systolic::multiply(on, da, wh.transposed(), dr);
      });
  if (a.dc0 != nullptr) std::copy_n(dc.data, g.n * g.units, a.dc0);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

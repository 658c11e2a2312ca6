// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/mxu/gemm.hpp>
#include <ridgepoint/ops/gru.hpp>
#include <ridgepoint/ops/lstm.hpp>
#include <ridgepoint/ops/projected_lstm.hpp>
#include <ridgepoint/ops/recurrent.hpp>
#include <ridgepoint/ops/rnn.hpp>
#include <ridgepoint/reference/reference.hpp>

/// \file
/// The layers rnn, lstm, projected_lstm and gru on the TPU, and their common code. Each step has one product of x(t)
/// and one of the state on the array; the vector unit computes the gates in fp32.
namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// Scratch memory of the calling thread as a matrix.
template <class Tag>
[[nodiscard]] matrix_view<float> scratch_matrix(index_t rows, index_t cols) {
  return {thread_scratch_of<Tag, float>(rows * cols), rows, cols};
}
/// to ← from, a dense matrix of the same extents; null: zeros.
inline void load(const float* from, matrix_view<float> to) noexcept {
  if (from == nullptr) std::fill_n(to.data, to.rows * to.cols, 0.0F);
  else std::copy_n(from, to.rows * to.cols, to.data);
}
inline void copy_rows(matrix_view<const float> from, matrix_view<float> to) noexcept {
  for (index_t i = 0; i < from.rows; ++i)
    for (index_t j = 0; j < from.cols; ++j) to(i, j) = from(i, j);
}

/// f(x) of one value, rounded once.
[[nodiscard]] inline float activated(activation f, float x) {
  return static_cast<float>(apply(f, static_cast<double>(x)));
}

/// c ← a·b + β·c + bias.
template <backend Host>
void multiply(const mxu<Host>& on, matrix_view<const float> a, matrix_view<const float> b, matrix_view<float> c,
              const gemm_options<float>& options = {}) {
  execute(on, gemm_args<float>{.a = a, .b = b, .c = c, .options = options});
}

/// Runs cell(t, z, h) step after step with z = x(t)·wx + bias. The cell replaces the state h (n × width) by the next
/// one, except for rows of samples that skip the step.
template <backend Host, class Cell>
void for_each_step(const mxu<Host>& on, const recurrent<float>& a, const recurrent_geometry& g, Cell&& cell) {
  if (g.cells() == 0) return;
  const index_t columns = g.columns();
  const auto z = scratch_matrix<struct gates_tag>(g.n, columns), h = scratch_matrix<struct state_tag>(g.n, g.width());
  load(a.h0, h);
  for (index_t t = 0; t < g.steps; ++t) {
    multiply(on, a.x.step(t), {a.wx, g.in, columns}, z, {.bias = a.bias});
    cell(t, z, h);
    if (a.y.data != nullptr) copy_rows(h, a.y.step(t));
  }
  if (a.last != nullptr) std::copy_n(h.data, g.n * g.width(), a.last);
}

/// Runs cell(t, h, dh, da) from the last step to the first. From the state h before the step and the gradient dh after
/// it, the cell computes the gradient da of x(t)·wx and replaces dh by the gradient of h. dwx, db, dx and dh0 follow
/// from these. For a sample that skips the step, dh is zero meanwhile.
template <backend Host, class Cell>
void for_each_step_back(const mxu<Host>& on, const recurrent_backward<float>& a, const recurrent_geometry& g,
                        Cell&& cell) {
  const index_t columns = g.columns(), width = g.width();
  const matrix_view<float> dwx(a.dwx, g.in, columns);
  load(nullptr, dwx);
  if (a.db != nullptr) std::fill_n(a.db, columns, 0.0F);
  const auto dh = scratch_matrix<struct gradient_tag>(g.n, width), held = scratch_matrix<struct held_tag>(g.n, width),
             h = scratch_matrix<struct before_tag>(g.n, width),
             da = scratch_matrix<struct gates_gradient_tag>(g.n, columns);
  load(a.dlast, dh);
  for (index_t t = g.cells() == 0 ? 0 : g.steps; t-- > 0;) {
    if (a.dy.data != nullptr)
      for (index_t i = 0; i < g.n; ++i)
        for (index_t j = 0; j < width; ++j) dh(i, j) += a.dy(t, i, j);
    if (t > 0) copy_rows(a.y.step(t - 1), h);
    else load(a.h0, h);
    copy_rows(dh, held);
    for (index_t i = 0; i < g.n; ++i)
      if (is_skipped(a.mask, t, i)) std::fill_n(&dh(i, 0), width, 0.0F);
    cell(t, matrix_view<const float>(h), dh, da);
    for (index_t i = 0; i < g.n; ++i)
      if (is_skipped(a.mask, t, i)) std::copy_n(&held(i, 0), width, &dh(i, 0));
    multiply(on, matrix_view<const float>(a.x.step(t)).transposed(), da, dwx, {.beta = 1});
    for (index_t i = 0; a.db != nullptr && i < g.n; ++i)
      for (index_t j = 0; j < columns; ++j) a.db[j] += da(i, j);
    if (a.dx.data != nullptr)
      multiply(on, da, matrix_view<const float>(a.wx, g.in, columns).transposed(), a.dx.step(t));
  }
  if (a.dh0 != nullptr) std::copy_n(dh.data, g.n * width, a.dh0);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// r, z ← σ; n ← tanh of the input's part + (r∘h)·wh_n, or with reset-after + r∘(h·wh_n + recurrent_bias_n);
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
/// dh ← dh·z + the gradient through wh.
template <backend Host>
void execute(const mxu<Host>& on, const gru_backward_args<float>& a) {
  const recurrent_geometry g = a.operands.geometry(gru_gates);
  const bool after = a.reset == gru_reset::after;
  const index_t u = g.units, saved = gru_args<float>::saved(a.reset) * u;
  const matrix_view<const float> wh(a.operands.wh, u, 3 * u), wh_rz = wh.block(0, 0, u, 2 * u),
                                                              wh_n = wh.block(0, 2 * u, u, u);
  const matrix_view<float> dwh(a.operands.dwh, u, 3 * u);
  const auto dn = systolic::scratch_matrix<struct gru_candidate_tag>(g.n, u),  // of the candidate's recurrent product
      state = systolic::scratch_matrix<struct gru_state_tag>(g.n, u),          // operand of that product
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

namespace systolic {

/// i, f, g, o from their sums z; c ← f·c + i·g; h ← o·tanh(c), except for rows of samples that skip the step. Saves the
/// requested values.
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

// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/ops/lstm.hpp>
#include <ridgepoint/reference/recurrent.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// i, f, g, o ← σ, σ, tanh, σ of x(t)·wx + h(t − 1)·wh + bias; c ← f·c + i·g; h ← o·tanh(c), in double.
template <scalar T>
void execute(const reference_backend&, const lstm_args<T>& a) {
  using std::tanh;
  using wide = accumulator_t<T>;
  const recurrent_geometry g = a.operands.geometry(lstm_gates);
  detail::wide_row<T> c;
  detail::for_each_step(a.operands, g, [&](index_t t, index_t i, const auto& x, auto& h) {
    if (t == 0) c = detail::row_of(a.c0, i * g.units, g.units);
    const detail::wide_row<T> before = h, c_before = c;
    const bool skipped = is_skipped(a.operands.mask, t, i);
    for (index_t j = 0; j < g.units; ++j) {
      wide gate[4];
      for (index_t k = 0; k < 4; ++k) {
        const index_t column = k * g.units + j;
        wide sum = detail::plus_product<T>(wide(0), x, a.operands.wx, g.gates * g.units, column);
        sum = detail::plus_product<T>(sum, before, a.operands.wh, g.gates * g.units, column);
        if (a.operands.bias != nullptr) sum = sum + wide(a.operands.bias[column]);
        gate[k] = apply(k == 2 ? activation::tanh : a.gate, sum);
        if (a.gates != nullptr) a.gates[(t * g.n + i) * g.gates * g.units + column] = T(skipped ? wide(0) : gate[k]);
      }
      wide& cell = c[static_cast<std::size_t>(j)];
      cell = gate[1] * cell + gate[0] * gate[2];
      h[static_cast<std::size_t>(j)] = gate[3] * tanh(cell);
    }
    if (skipped) c = c_before;
    if (a.c != nullptr) detail::store<T>(c, a.c, (t * g.n + i) * g.units);
    if (t == g.steps - 1) detail::store<T>(c, a.last_c, i * g.units);
  });
}

/// dc ← dc + dh·o·(1 − tanh²(c)); di = dc·g, df = dc·c(t − 1), dg = dc·i, do = dh·tanh(c), each through its activation;
/// then dc ← dc·f, dh ← da·whᵀ for the step before; dwx, dwh, db, dx from da, in double.
template <scalar T>
void execute(const reference_backend&, const lstm_backward_args<T>& a) {
  using std::tanh;
  using wide = accumulator_t<T>;
  const recurrent_geometry g = a.operands.geometry(lstm_gates);
  const index_t u = g.units;
  detail::wide_row<T> dwh(static_cast<std::size_t>(g.recurrent_weights()), wide(0)), dc;
  detail::for_each_step_back(a.operands, g, [&](index_t t, index_t i, auto& dh, const auto& h, auto&& with) {
    if (t == g.steps - 1) dc = detail::row_of(a.dlast_c, i * u, u);
    const detail::wide_row<T> held = dc;
    const bool skipped = is_skipped(a.operands.mask, t, i);
    if (skipped) dc.assign(held.size(), wide(0));
    const index_t row = t * g.n + i;
    const auto c = detail::row_of(a.c, row * u, u), gates = detail::row_of(a.gates, row * 4 * u, 4 * u);
    const auto before = t > 0 ? detail::row_of(a.c, (row - g.n) * u, u) : detail::row_of(a.c0, i * u, u);
    detail::wide_row<T> da(static_cast<std::size_t>(4 * u), wide(0));
    for (std::size_t j = 0, n = dc.size(); j < n; ++j) {
      const wide &in = gates[j], &forget = gates[n + j], &candidate = gates[2 * n + j], &out = gates[3 * n + j];
      const wide tc = tanh(c[j]);
      dc[j] = dc[j] + dh[j] * out * (wide(1) - tc * tc);
      da[j] = apply_backward(a.gate, in, dc[j] * candidate);
      da[n + j] = apply_backward(a.gate, forget, dc[j] * before[j]);
      da[2 * n + j] = apply_backward(activation::tanh, candidate, dc[j] * in);
      da[3 * n + j] = apply_backward(a.gate, out, dh[j] * tc);
      dc[j] = dc[j] * forget;
    }
    with(da);
    detail::add_outer<T>(dwh, h, da, 4 * u);
    for (index_t p = 0; p < u; ++p)
      dh[static_cast<std::size_t>(p)] = detail::plus_transposed<T>(wide(0), da, a.operands.wh, 4 * u, p);
    if (skipped) dc = held;
    if (t == 0) detail::store<T>(dc, a.dc0, i * u);
  });
  detail::store<T>(dwh, a.operands.dwh);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

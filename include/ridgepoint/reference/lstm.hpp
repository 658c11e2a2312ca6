// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/ops/lstm.hpp>
#include <ridgepoint/reference/recurrent.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// i, f, g, o ← σ, σ, tanh, σ of x(t)·wx + state(t − 1)·wh + bias; c ← f·c + i·g; h ← o·tanh(c), in double. Of a step
/// give(t, i, h) makes the state of h.
template <scalar T, class Args, class Give>
void lstm_steps(const Args& a, const recurrent_geometry& g, Give&& give) {
  using std::tanh;
  using wide = accumulator_t<T>;
  wide_row<T> c;
  for_each_step(a.operands, g, [&](index_t t, index_t i, const auto& x, auto& state) {
    if (t == 0) c = row_of(a.c0, i * g.units, g.units);
    const wide_row<T> c_before = c;
    const bool skipped = is_skipped(a.operands.mask, t, i);
    wide_row<T> h, sums(static_cast<std::size_t>(g.columns()), wide(0));
    add_product<T>(sums, x, a.operands.wx, g.columns());
    add_product<T>(sums, state, a.operands.wh, g.columns());
    add_bias<T>(sums, a.operands.bias);
    for (index_t j = 0; j < g.units; ++j) {
      wide gate[4];
      for (index_t k = 0; k < 4; ++k) {
        const index_t column = k * g.units + j;
        gate[k] = apply(k == 2 ? activation::tanh : a.gate, sums[static_cast<std::size_t>(column)]);
        if (a.gates != nullptr) a.gates[(t * g.n + i) * g.columns() + column] = T(skipped ? wide(0) : gate[k]);
      }
      wide& cell = c[static_cast<std::size_t>(j)];
      cell = gate[1] * cell + gate[0] * gate[2];
      h.push_back(gate[3] * tanh(cell));
    }
    state = give(t, i, h);
    if (skipped) c = c_before;
    if (a.c != nullptr) store<T>(c, a.c, (t * g.n + i) * g.units);
    if (t == g.steps - 1) store<T>(c, a.last_c, i * g.units);
  });
}

/// dc ← dc + dh·o·(1 − tanh²(c)); di = dc·g, df = dc·c(t − 1), dg = dc·i, do = dh·tanh(c), each through its activation;
/// then dc ← dc·f, and da·whᵀ is the gradient of the state before; dwx, dwh, db, dx from da, in double. Of a step
/// take(t, i, d) makes dh of the state's gradient.
template <scalar T, class Args, class Take>
void lstm_steps_back(const Args& a, const recurrent_geometry& g, Take&& take) {
  using std::tanh;
  using wide = accumulator_t<T>;
  const index_t u = g.units;
  wide_row<T> dwh(static_cast<std::size_t>(g.recurrent_weights()), wide(0)), dc;
  for_each_step_back(a.operands, g, [&](index_t t, index_t i, auto& d, const auto& state, auto&& with) {
    if (t == g.steps - 1) dc = row_of(a.dlast_c, i * u, u);
    const wide_row<T> held = dc;
    const bool skipped = is_skipped(a.operands.mask, t, i);
    if (skipped) dc.assign(held.size(), wide(0));
    const index_t row = t * g.n + i;
    const wide_row<T> dh = take(t, i, d);
    const auto c = row_of(a.c, row * u, u), gates = row_of(a.gates, row * 4 * u, 4 * u);
    const auto before = t > 0 ? row_of(a.c, (row - g.n) * u, u) : row_of(a.c0, i * u, u);
    wide_row<T> da(static_cast<std::size_t>(4 * u), wide(0));
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
    add_outer<T>(dwh, state, da, 4 * u);
    for (std::size_t p = 0; p < d.size(); ++p)
      d[p] = plus_transposed<T>(wide(0), da, a.operands.wh, 4 * u, static_cast<index_t>(p));
    if (skipped) dc = held;
    if (t == 0) store<T>(dc, a.dc0, i * u);
  });
  store<T>(dwh, a.operands.dwh);
}

}  // namespace detail

/// The state is h.
template <scalar T>
void execute(const reference_backend&, const lstm_args<T>& a) {
  detail::lstm_steps<T>(a, a.operands.geometry(lstm_gates), [](index_t, index_t, const auto& h) { return h; });
}
template <scalar T>
void execute(const reference_backend&, const lstm_backward_args<T>& a) {
  detail::lstm_steps_back<T>(a, a.operands.geometry(lstm_gates), [](index_t, index_t, const auto& dh) { return dh; });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

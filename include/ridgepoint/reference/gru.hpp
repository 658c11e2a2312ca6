// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/gru.hpp>
#include <ridgepoint/reference/recurrent.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// r, z ← σ of x(t)·wx + h·wh + bias; n ← tanh of x(t)·wx + (r∘h)·wh + bias, or with reset-after of
/// x(t)·wx + bias + r∘(h·wh + recurrent_bias); h ← (1 − z)·n + z·h, in double.
template <scalar T>
void execute(const reference_backend&, const gru_args<T>& a) {
  using wide = accumulator_t<T>;
  const recurrent_geometry g = a.operands.geometry(gru_gates);
  const bool after = a.reset == gru_reset::after;
  const auto u = static_cast<std::size_t>(g.units);
  const index_t n_column = 2 * g.units;
  const auto add_input = [&](auto& sums, const auto& x, index_t first) {
    detail::add_product<T>(sums, x, a.operands.wx, g.columns(), first);
    detail::add_bias<T>(sums, a.operands.bias, first);
  };
  const auto add_state = [&](auto& sums, const auto& h, index_t first) {
    detail::add_product<T>(sums, h, a.operands.wh, g.columns(), first);
    detail::add_bias<T>(sums, a.recurrent_bias, first);
  };
  detail::for_each_step(a.operands, g, [&](index_t t, index_t i, const auto& x, auto& h) {
    detail::wide_row<T> gates(2 * u, wide(0)), n(u, wide(0));  // gates: r, z, then n, then what r acts on
    add_input(gates, x, 0);
    add_state(gates, h, 0);
    for (wide& gate : gates) gate = apply(a.gate, gate);
    detail::wide_row<T> reset = h, product(after ? u : 0, wide(0));
    for (std::size_t j = 0; !after && j < u; ++j) reset[j] = gates[j] * h[j];
    add_input(n, x, n_column);
    add_state(after ? product : n, reset, n_column);
    for (std::size_t j = 0; j < u; ++j)
      gates.push_back(apply(activation::tanh, after ? n[j] + gates[j] * product[j] : n[j]));
    for (std::size_t j = 0; j < u; ++j) h[j] = (wide(1) - gates[u + j]) * gates[2 * u + j] + gates[u + j] * h[j];
    gates.insert(gates.end(), product.begin(), product.end());
    if (is_skipped(a.operands.mask, t, i)) gates.assign(gates.size(), wide(0));
    detail::store<T>(gates, a.gates, (t * g.n + i) * static_cast<index_t>(gates.size()));
  });
}

/// dn = dh·(1 − z), dz = dh·(h(t − 1) − n), each through its activation; d(r∘h) = dn·wh_nᵀ (reset-after: r∘dn); dr from
/// it; dh ← dh·z + what comes back through wh, for the step before; dwx, dwh, db, dx from da = (dr, dz, dn), in
/// double.
template <scalar T>
void execute(const reference_backend&, const gru_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  const recurrent_geometry g = a.operands.geometry(gru_gates);
  const bool after = a.reset == gru_reset::after;
  const auto u = static_cast<std::size_t>(g.units);
  const index_t saved = gru_args<T>::saved(a.reset) * g.units, columns = g.columns(), n_column = 2 * g.units;
  detail::wide_row<T> dwh(static_cast<std::size_t>(g.recurrent_weights()), wide(0)), drb(3 * u, wide(0));
  detail::for_each_step_back(a.operands, g, [&](index_t t, index_t i, auto& dh, const auto& h, auto&& with) {
    const auto gates = detail::row_of(a.gates, (t * g.n + i) * saved, saved);
    detail::wide_row<T> da(3 * u, wide(0)), dn(u, wide(0)), rh = h;  // dn: of the candidate's recurrent product
    for (std::size_t j = 0; j < u; ++j) {
      const wide &r = gates[j], &z = gates[u + j], &n = gates[2 * u + j];
      da[u + j] = apply_backward(a.gate, z, dh[j] * (h[j] - n));
      da[2 * u + j] = apply_backward(activation::tanh, n, dh[j] * (wide(1) - z));
      dn[j] = after ? da[2 * u + j] * r : da[2 * u + j];
      if (after) da[j] = apply_backward(a.gate, r, da[2 * u + j] * gates[3 * u + j]);
      dh[j] = dh[j] * z;
    }
    for (std::size_t p = 0; !after && p < u; ++p) {
      const wide drh =
          detail::plus_transposed<T>(wide(0), dn, a.operands.wh, columns, static_cast<index_t>(p), n_column);
      da[p] = apply_backward(a.gate, gates[p], drh * h[p]);
      dh[p] = dh[p] + drh * gates[p];
      rh[p] = gates[p] * h[p];
    }
    with(da);
    const detail::wide_row<T> drz(da.begin(), da.begin() + static_cast<std::ptrdiff_t>(2 * u));
    detail::add_outer<T>(dwh, h, drz, columns);
    detail::add_outer<T>(dwh, rh, dn, columns, n_column);
    for (std::size_t j = 0; a.drecurrent_bias != nullptr && j < 3 * u; ++j)
      drb[j] = drb[j] + (j < 2 * u ? drz[j] : dn[j - 2 * u]);
    for (std::size_t p = 0; p < u; ++p) {
      dh[p] = detail::plus_transposed<T>(dh[p], drz, a.operands.wh, columns, static_cast<index_t>(p));
      if (after)
        dh[p] = detail::plus_transposed<T>(dh[p], dn, a.operands.wh, columns, static_cast<index_t>(p), n_column);
    }
  });
  detail::store<T>(dwh, a.operands.dwh);
  detail::store<T>(drb, a.drecurrent_bias);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

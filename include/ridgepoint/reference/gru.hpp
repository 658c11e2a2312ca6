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
  const auto input = [&](const auto& x, index_t column) {
    const wide sum = detail::plus_product<T>(wide(0), x, a.operands.wx, g.columns(), column);
    return a.operands.bias == nullptr ? sum : sum + wide(a.operands.bias[column]);
  };
  const auto state = [&](wide sum, const auto& h, index_t column) {
    sum = detail::plus_product<T>(sum, h, a.operands.wh, g.columns(), column);
    return a.recurrent_bias == nullptr ? sum : sum + wide(a.recurrent_bias[column]);
  };
  detail::for_each_step(a.operands, g, [&](index_t t, index_t i, const auto& x, auto& h) {
    detail::wide_row<T> gates, reset = h;  // gates: r, z, then n, then what r acts on
    for (index_t k = 0; k < 2 * g.units; ++k) gates.push_back(apply(a.gate, state(input(x, k), h, k)));
    for (std::size_t j = 0; !after && j < u; ++j) reset[j] = gates[j] * h[j];
    detail::wide_row<T> product;
    for (index_t k = 2 * g.units; k < g.columns(); ++k) {
      if (after) product.push_back(state(wide(0), h, k));
      const wide sum = after ? input(x, k) + gates[product.size() - 1] * product.back() : state(input(x, k), reset, k);
      gates.push_back(apply(activation::tanh, sum));
    }
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

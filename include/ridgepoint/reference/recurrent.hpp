// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <vector>

#include <ridgepoint/ops/gru.hpp>
#include <ridgepoint/ops/lstm.hpp>
#include <ridgepoint/ops/projected_lstm.hpp>
#include <ridgepoint/ops/recurrent.hpp>
#include <ridgepoint/ops/rnn.hpp>
#include <ridgepoint/reference/reference.hpp>

/// \file
/// Definitions of rnn, lstm, projected_lstm and gru, with their common code; a row is the data of one sample at one
/// step.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <scalar T>
using wide_row = std::vector<accumulator_t<T>>;

/// Values first … first + count − 1, or zeros if the pointer is null.
template <scalar T>
[[nodiscard]] wide_row<T> row_of(const T* values, index_t first, index_t count) {
  using wide = accumulator_t<T>;
  wide_row<T> row;
  for (index_t j = 0; j < count; ++j) row.push_back(values == nullptr ? wide(0) : wide(values[first + j]));
  return row;
}
template <scalar T>
void store(const wide_row<T>& row, T* to, index_t first = 0) {
  for (std::size_t j = 0; to != nullptr && j < row.size(); ++j) to[first + static_cast<index_t>(j)] = T(row[j]);
}

/// sums(j) += Σ_p row(p)·w(p, first + j) for w (row.size(), columns), a row of w at a time, in memory order.
template <scalar T>
void add_product(wide_row<T>& sums, const wide_row<T>& row, const T* w, index_t columns, index_t first = 0) {
  for (std::size_t p = 0; p < row.size(); ++p) {
    const T* const from = w + static_cast<index_t>(p) * columns + first;
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] = multiply_add(sums[j], row[p], accumulator_t<T>(from[j]));
  }
}
/// sums(j) += bias(first + j), if bias is not null.
template <scalar T>
void add_bias(wide_row<T>& sums, const T* bias, index_t first = 0) {
  for (std::size_t j = 0; bias != nullptr && j < sums.size(); ++j)
    sums[j] = sums[j] + accumulator_t<T>(bias[first + static_cast<index_t>(j)]);
}
/// sum + Σ_j da(j)·w(p, first + j): the product with the transposed columns first … of w.
template <scalar T>
[[nodiscard]] accumulator_t<T> plus_transposed(accumulator_t<T> sum, const wide_row<T>& da, const T* w, index_t columns,
                                               index_t p, index_t first = 0) {
  for (std::size_t j = 0; j < da.size(); ++j)
    sum = multiply_add(sum, da[j], accumulator_t<T>(w[p * columns + first + static_cast<index_t>(j)]));
  return sum;
}
/// dw(p, first + j) += row(p)·da(j).
template <scalar T>
void add_outer(wide_row<T>& dw, const wide_row<T>& row, const wide_row<T>& da, index_t columns, index_t first = 0) {
  for (std::size_t p = 0; p < row.size(); ++p)
    for (std::size_t j = 0; j < da.size(); ++j) {
      accumulator_t<T>& sum = dw[p * static_cast<std::size_t>(columns) + static_cast<std::size_t>(first) + j];
      sum = multiply_add(sum, row[p], da[j]);
    }
}

/// Runs cell(t, i, x, h) for every sample i and step t. The cell takes the input x and replaces the state h by the next
/// one, which is dropped where the step is skipped.
template <scalar T, class Cell>
void for_each_step(const recurrent<T>& a, const recurrent_geometry& g, Cell&& cell) {
  for (index_t i = 0; i < g.n; ++i) {
    wide_row<T> h = row_of(a.h0, i * g.width(), g.width());
    for (index_t t = 0; t < g.steps; ++t) {
      const wide_row<T> before = h;
      cell(t, i, row_of(&a.x(t, i, 0), 0, g.in), h);
      if (is_skipped(a.mask, t, i)) h = before;
      if (a.y.data != nullptr) store(h, &a.y(t, i, 0));
    }
    store(h, a.last, i * g.width());
  }
}

/// Runs cell(t, i, dh, h, dx_and_weights) backwards for every sample i and step t. From the gradient dh of h(t) and the
/// state h(t − 1) the cell computes the gradient of h(t − 1) in dh, and calls with(da) with the gradient of x(t)·wx.
/// Where the step is skipped, dh is zero meanwhile.
template <scalar T, class Cell>
void for_each_step_back(const recurrent_backward<T>& a, const recurrent_geometry& g, Cell&& cell) {
  using wide = accumulator_t<T>;
  const index_t columns = g.columns(), width = g.width();
  wide_row<T> dwx(static_cast<std::size_t>(g.input_weights()), wide(0)), db(static_cast<std::size_t>(columns), wide(0));
  for (index_t i = 0; i < g.n; ++i) {
    wide_row<T> dh = row_of(a.dlast, i * width, width);
    for (index_t t = g.steps; t-- > 0;) {
      for (index_t j = 0; a.dy.data != nullptr && j < width; ++j) {
        wide& sum = dh[static_cast<std::size_t>(j)];
        sum = sum + wide(a.dy(t, i, j));
      }
      const wide_row<T> held = dh;
      if (is_skipped(a.mask, t, i)) dh.assign(dh.size(), wide(0));
      const wide_row<T> h = t > 0 ? row_of(&a.y(t - 1, i, 0), 0, width) : row_of(a.h0, i * width, width);
      cell(t, i, dh, h, [&](const wide_row<T>& da) {
        add_outer<T>(dwx, row_of(&a.x(t, i, 0), 0, g.in), da, columns);
        for (std::size_t j = 0; a.db != nullptr && j < da.size(); ++j) db[j] = db[j] + da[j];
        for (index_t p = 0; a.dx.data != nullptr && p < g.in; ++p)
          a.dx(t, i, p) = T(plus_transposed<T>(wide(0), da, a.wx, columns, p));
      });
      if (is_skipped(a.mask, t, i)) dh = held;
    }
    store(dh, a.dh0, i * width);
  }
  store<T>(dwx, a.dwx);
  store<T>(db, a.db);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

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
    detail::wide_row<T> gates(2 * u, wide(0)), n(u, wide(0));  // gates: r, z, then n, then r's operand
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
/// it; dh ← dh·z + the gradient through wh, for the previous step; dwx, dwh, db, dx from da = (dr, dz, dn), in double.
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

namespace detail {

/// i, f, g, o ← σ, σ, tanh, σ of x(t)·wx + state(t − 1)·wh + bias; c ← f·c + i·g; h ← o·tanh(c), in double. In each
/// step give(t, i, h) computes the state from h.
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
/// then dc ← dc·f, and da·whᵀ is the gradient of the previous state; dwx, dwh, db, dx from da, in double. In each step
/// take(t, i, d) computes dh from the state's gradient.
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

/// h(t) ← f(x(t)·wx + h(t − 1)·wh + bias), in double.
template <scalar T>
void execute(const reference_backend&, const rnn_args<T>& a) {
  using wide = accumulator_t<T>;
  const recurrent_geometry g = a.operands.geometry(rnn_gates);
  detail::for_each_step(a.operands, g, [&](index_t, index_t, const auto& x, auto& h) {
    detail::wide_row<T> sums(h.size(), wide(0));
    detail::add_product<T>(sums, x, a.operands.wx, g.units);
    detail::add_product<T>(sums, h, a.operands.wh, g.units);
    detail::add_bias<T>(sums, a.operands.bias);
    for (std::size_t j = 0; j < h.size(); ++j) h[j] = apply(a.act, sums[j]);
  });
}

/// da ← f'(h(t))·dh, then dh ← da·whᵀ for the previous step; dwx, dwh, db, dx from da, in double.
template <scalar T>
void execute(const reference_backend&, const rnn_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  const recurrent_geometry g = a.operands.geometry(rnn_gates);
  detail::wide_row<T> dwh(static_cast<std::size_t>(g.recurrent_weights()), wide(0));
  detail::for_each_step_back(a.operands, g, [&](index_t t, index_t i, auto& dh, const auto& h, auto&& with) {
    detail::wide_row<T> da;
    for (index_t j = 0; j < g.units; ++j)
      da.push_back(apply_backward(a.act, wide(a.operands.y(t, i, j)), dh[static_cast<std::size_t>(j)]));
    with(da);
    detail::add_outer<T>(dwh, h, da, g.units);
    for (index_t p = 0; p < g.units; ++p)
      dh[static_cast<std::size_t>(p)] = detail::plus_transposed<T>(wide(0), da, a.operands.wh, g.units, p);
  });
  detail::store<T>(dwh, a.operands.dwh);
}

/// c and h as in lstm(), with the state r ← h·wp, in double.
template <scalar T>
void execute(const reference_backend&, const projected_lstm_args<T>& a) {
  using wide = accumulator_t<T>;
  const recurrent_geometry g = a.geometry();
  detail::lstm_steps<T>(a, g, [&](index_t t, index_t i, const detail::wide_row<T>& h) {
    const bool skipped = is_skipped(a.operands.mask, t, i);
    for (index_t j = 0; a.h != nullptr && j < g.units; ++j)
      a.h[(t * g.n + i) * g.units + j] = T(skipped ? wide(0) : h[static_cast<std::size_t>(j)]);
    detail::wide_row<T> r(static_cast<std::size_t>(g.projected), wide(0));
    detail::add_product<T>(r, h, a.wp, g.projected);
    return r;
  });
}

/// dh ← dr·wpᵀ and dwp += hᵀ·dr; the rest as in lstm_backward(), in double.
template <scalar T>
void execute(const reference_backend&, const projected_lstm_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  const recurrent_geometry g = a.geometry();
  detail::wide_row<T> dwp(static_cast<std::size_t>(g.units * g.projected), wide(0));
  detail::lstm_steps_back<T>(a, g, [&](index_t t, index_t i, const detail::wide_row<T>& dr) {
    detail::add_outer<T>(dwp, detail::row_of(a.h, (t * g.n + i) * g.units, g.units), dr, g.projected);
    detail::wide_row<T> dh;
    for (index_t j = 0; j < g.units; ++j) dh.push_back(detail::plus_transposed<T>(wide(0), dr, a.wp, g.projected, j));
    return dh;
  });
  detail::store<T>(dwp, a.dwp);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

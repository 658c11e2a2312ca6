// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/ops/recurrent.hpp>
#include <ridgepoint/reference/activation.hpp>
#include <ridgepoint/reference/multiply_add.hpp>
#include <ridgepoint/reference/reference.hpp>

/// \file
/// What the definitions of rnn, lstm, projected_lstm and gru share; a row is what belongs to one sample at one step.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <scalar T>
using wide_row = std::vector<accumulator_t<T>>;

/// Values first … first + count − 1, or zeros where there are none.
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

/// sums(j) += Σ_p row(p)·w(p, first + j) for w (row.size(), columns), a row of w at a time, as it lies in memory.
template <scalar T>
void add_product(wide_row<T>& sums, const wide_row<T>& row, const T* w, index_t columns, index_t first = 0) {
  for (std::size_t p = 0; p < row.size(); ++p) {
    const T* const from = w + static_cast<index_t>(p) * columns + first;
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] = multiply_add(sums[j], row[p], accumulator_t<T>(from[j]));
  }
}
/// sums(j) += bias(first + j), if there is one.
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

/// Runs cell(t, i, x, h) for every sample i and step t: it takes the input x and turns the state h into the next one,
/// which is forgotten where the step is skipped.
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

/// Runs cell(t, i, dh, h, dx_and_weights) backwards for every sample i and step t: from the gradient dh of h(t) and the
/// state h(t − 1) it makes the gradient of h(t − 1) in dh, and calls with(da) with that of x(t)·wx. Where the step is
/// skipped dh is zero meanwhile.
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

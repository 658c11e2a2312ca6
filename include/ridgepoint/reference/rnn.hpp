// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/rnn.hpp>
#include <ridgepoint/reference/recurrent.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

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

/// da ← f'(h(t))·dh, then dh ← da·whᵀ for the step before; dwx, dwh, db, dx from da, in double.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

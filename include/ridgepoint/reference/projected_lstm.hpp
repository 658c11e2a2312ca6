// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/projected_lstm.hpp>
#include <ridgepoint/reference/lstm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// c and h as of lstm(), whose state is r ← h·wp, in double.
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

/// dh ← dr·wpᵀ and dwp += hᵀ·dr; the rest as of lstm_backward(), in double.
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

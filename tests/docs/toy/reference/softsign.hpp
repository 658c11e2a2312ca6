// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/reference/reference.hpp>

#include "docs/toy/ops/softsign.hpp"

namespace toy {

/// y(i) ← x(i) / (1 + |x(i)|), in double.
template <rp::scalar T>
void execute(const rp::reference_backend&, const softsign_args<T>& a) {
  using std::abs;
  using wide = rp::accumulator_t<T>;
  for (rp::index_t i = 0; i < a.size; ++i) {
    const wide x(a.x[i]);
    a.y[i] = T(x / (wide(1) + abs(x)));
  }
}

/// dx(i) ← (1 − |y(i)|)²·dy(i), in double.
template <rp::scalar T>
void execute(const rp::reference_backend&, const softsign_backward_args<T>& a) {
  using std::abs;
  using wide = rp::accumulator_t<T>;
  for (rp::index_t i = 0; i < a.size; ++i) {
    const wide slope = wide(1) - abs(wide(a.y[i]));
    a.dx[i] = T(wide(a.dy[i]) * (slope * slope));
  }
}

}  // namespace toy

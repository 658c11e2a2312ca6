// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/positions.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(n, t, c) ← scale·x(n, t, c) + sinusoid(t, c), in double.
template <scalar T>
void execute(const reference_backend&, const positions_args<T>& a) {
  using wide = accumulator_t<T>;
  for (index_t row = 0; row < a.n * a.steps; ++row)
    for (index_t c = 0; c < a.width; ++c)
      a.y[row * a.width + c] =
          T(wide(a.scale) * wide(a.x[row * a.width + c]) + wide(sinusoid(row % a.steps, c, a.width)));
}
/// dx(i) ← scale·dy(i).
template <scalar T>
void execute(const reference_backend&, const positions_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  for (index_t i = 0; i < a.size; ++i) a.dx[i] = T(wide(a.scale) * wide(a.dy[i]));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

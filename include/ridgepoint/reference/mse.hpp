// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/mse.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// loss ← mean_i (y(i) − target(i))², dy(i) ← weight·(2/size)·(y(i) − target(i)), summed in double.
template <scalar T>
void execute(const reference_backend&, const mse_args<T>& m) {
  using wide = accumulator_t<T>;
  const auto scale = static_cast<wide>(2 * m.weight / static_cast<double>(m.size));
  wide loss(0);
  for (index_t i = 0; i < m.size; ++i) {
    const wide error = wide(m.y[i]) - wide(m.target[i]);
    loss = loss + error * error;
    if (m.dy != nullptr) m.dy[i] = T(scale * error);
  }
  m.state->loss = static_cast<double>(loss) / static_cast<double>(m.size);
  m.state->correct = 0;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

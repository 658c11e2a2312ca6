// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/loss_parts.hpp>
#include <ridgepoint/kernels/map/loss.hpp>
#include <ridgepoint/ops/mse.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_element T>
void execute(const native_cpu& on, const mse_args<T>& m) {
  const auto size = static_cast<double>(m.size);
  const auto [loss] =
      sum_loss<1>(on, m.y, m.target, m.dy, m.size,
                  [scale = static_cast<compute_t<T>>(2 * m.weight / size)](auto* y, auto* target, auto* dy, index_t n) {
                    return kernels::squared_error_sum(y, target, dy, n, scale);
                  });
  m.state->loss = loss / size;
  m.state->correct = 0;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

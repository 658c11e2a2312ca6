// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/loss_parts.hpp>
#include <ridgepoint/kernels/map/loss.hpp>
#include <ridgepoint/ops/binary_cross_entropy.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_element T>
void execute(const native_cpu& on, const binary_cross_entropy_args<T>& b) {
  const auto size = static_cast<double>(b.size);
  const auto [loss, correct] =
      sum_loss<2>(on, b.y, b.target, b.dy, b.size,
                  [scale = static_cast<compute_t<T>>(b.weight / size)](auto* y, auto* target, auto* dy, index_t n) {
                    return kernels::logit_cross_entropy_sum(y, target, dy, n, scale);
                  });
  b.state->loss = loss / size;
  b.state->correct = static_cast<std::uint32_t>(correct);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

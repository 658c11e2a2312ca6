// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/loss.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/ops/mse.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const mse_args<T>& m) {
  const auto size = static_cast<double>(m.size);
  const auto scale = static_cast<T>(2 / size);
  const auto [loss] = sum_parts<1>(on, m.size, part_elements, [&](index_t begin, index_t end) {
    if (m.dy == nullptr)
      return kernels::map<T, 2, 0>({m.y + begin, m.target + begin}, {}, end - begin,
                                   kernels::squared_error<T, false>{scale});
    return kernels::map<T, 2, 1>({m.y + begin, m.target + begin}, {m.dy + begin}, end - begin,
                                 kernels::squared_error<T, true>{scale});
  });
  m.state->loss = loss / size;
  m.state->correct = 0;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

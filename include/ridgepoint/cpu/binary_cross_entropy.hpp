// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/loss.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/ops/binary_cross_entropy.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const binary_cross_entropy_args<T>& b) {
  const auto size = static_cast<double>(b.size);
  const auto scale = static_cast<T>(1 / size);
  const auto [loss, correct] = sum_parts<2>(on, b.size, part_elements, [&](index_t begin, index_t end) {
    if (b.dy == nullptr)
      return kernels::map<T, 2, 0>({b.y + begin, b.target + begin}, {}, end - begin,
                                   kernels::logit_cross_entropy<T, false>{scale});
    return kernels::map<T, 2, 1>({b.y + begin, b.target + begin}, {b.dy + begin}, end - begin,
                                 kernels::logit_cross_entropy<T, true>{scale});
  });
  b.state->loss = loss / size;
  b.state->correct = static_cast<std::uint64_t>(correct);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/softmax.hpp>
#include <ridgepoint/ops/softmax_cross_entropy.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const softmax_cross_entropy_args<T>& s) {
  const index_t rows = s.logits.rows, classes = s.logits.cols;
  const T weight = static_cast<T>(1.0 / static_cast<double>(rows));
  const auto [loss, correct] =
      sum_parts<2>(on, rows, ceil_div(part_elements, classes), [&](index_t begin, index_t end) {
        return kernels::softmax_cross_entropy_rows(s.logits, s.labels, weight, s.dlogits, begin, end);
      });
  s.state->loss = loss / static_cast<double>(rows);
  s.state->correct = static_cast<std::uint64_t>(correct);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

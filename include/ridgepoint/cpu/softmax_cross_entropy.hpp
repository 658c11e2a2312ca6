// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/in_floats.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/softmax.hpp>
#include <ridgepoint/ops/softmax_cross_entropy.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_element T>
void execute(const native_cpu& on, const softmax_cross_entropy_args<T>& s) {
  const index_t rows = s.logits.rows, classes = s.logits.cols;
  const bool skips = s.ignored != no_label;
  const index_t ignored = skips ? std::count(s.labels, s.labels + rows, s.ignored) : 0;
  const auto divisor = static_cast<double>(std::max<index_t>(rows - ignored, 1));
  const auto weight = static_cast<compute_t<T>>(s.weight / divisor);
  const auto [loss,
              correct] = sum_parts<2>(on, rows, ceil_div(part_elements, classes), [&](index_t begin, index_t end) {
    if constexpr (std::floating_point<T>) {
      return kernels::softmax_cross_entropy_rows(s.logits, {s.labels, s.ignored, skips}, weight, s.dlogits, begin, end);
    } else {
      const matrix_view<float> part = rows_as_floats(s.logits, begin, end);
      const bool gradient = s.dlogits.data != nullptr;
      const auto sums = kernels::softmax_cross_entropy_rows<float>(
          part, {s.labels + begin, s.ignored, skips}, weight, gradient ? part : matrix_view<float>(), 0, part.rows);
      if (gradient) store_rows(part, s.dlogits, begin);
      return sums;
    }
  });
  s.state->loss = loss / divisor;
  s.state->correct = static_cast<std::uint32_t>(correct);
  s.state->ignored = static_cast<std::uint32_t>(ignored);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/softmax.hpp>
#include <ridgepoint/ops/softmax_cross_entropy.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const cpu& on, const softmax_cross_entropy_args<T>& s) {
  const index_t rows = s.logits.rows, classes = s.logits.cols;
  const double weight = 1.0 / static_cast<double>(rows);
  const auto [loss, correct] =
      sum_parts<2>(on, rows, ceil_div(part_elements, classes), [&](index_t begin, index_t end) {
        std::array<double, 2> sums{};
        for (index_t i = begin; i < end; ++i) {
          T* dlogits = s.dlogits.data == nullptr ? nullptr : &s.dlogits(i, 0);
          const kernels::row_loss row =
              kernels::softmax_cross_entropy_row(&s.logits(i, 0), classes, s.labels[i], weight, dlogits);
          sums[0] += row.loss;
          sums[1] += row.correct ? 1 : 0;
        }
        return sums;
      });
  s.state->loss = loss / static_cast<double>(rows);
  s.state->correct = static_cast<std::uint64_t>(correct);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

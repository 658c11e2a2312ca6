// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/cpu/softmax.hpp>
#include <ridgepoint/kernels/map/softmax_kernels.hpp>
#include <ridgepoint/ops/softmax_cross_entropy.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, cpu_element T>
void execute(const On& on, const softmax_cross_entropy_args<T>& s) {
  const index_t rows = s.logits.rows, classes = s.logits.cols;
  const bool skips = s.ignored != no_label;
  const index_t ignored = skips ? std::count(s.labels, s.labels + rows, s.ignored) : 0;
  const auto divisor = static_cast<double>(std::max<index_t>(rows - ignored, 1));
  const auto weight = static_cast<compute_t<T>>(s.weight / divisor);
  const auto [loss, correct] =
      sum_parts<2>(on, rows, ceil_div(part_elements, classes), [&](index_t begin, index_t end) {
        return on.template call<kernels::softmax_cross_entropy_chunk<T>>(s, weight, begin, end,
                                                                         detail::floats_of<T>((end - begin) * classes));
      });
  s.state->loss = loss / divisor;
  s.state->correct = static_cast<std::uint32_t>(correct);
  s.state->ignored = static_cast<std::uint32_t>(ignored);
}
template <cpu_element T>
type_list<kernels::softmax_cross_entropy_chunk<T>> kernels_of(const softmax_cross_entropy_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/softmax.hpp>
#include <ridgepoint/ops/softmax.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const cpu& on, const softmax_args<T>& s) {
  const index_t part_rows = ceil_div(part_elements, std::max<index_t>(s.x.cols, 1)),
                parts = ceil_div(s.x.rows, part_rows);
  parallel_for(parts > 1 ? on.thread_count() : 1, parts, [&](index_t part) {
    const index_t end = std::min(s.x.rows, (part + 1) * part_rows);
    for (index_t i = part * part_rows; i < end; ++i) kernels::softmax_row(&s.x(i, 0), &s.y(i, 0), s.x.cols);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/in_floats.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/softmax.hpp>
#include <ridgepoint/ops/softmax.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_element T>
void execute(const native_cpu& on, const softmax_args<T>& s) {
  const index_t part_rows = ceil_div(part_elements, std::max<index_t>(s.x.cols, 1)),
                parts = ceil_div(s.x.rows, part_rows);
  parallel_for(parts > 1 ? on.thread_count() : 1, parts, [&](index_t part) {
    const index_t begin = part * part_rows, end = std::min(s.x.rows, begin + part_rows);
    if constexpr (std::floating_point<T>) {
      kernels::softmax_rows(s.x, s.y, begin, end);
    } else {
      const matrix_view<float> rows = rows_as_floats(s.x, begin, end);
      kernels::softmax_rows<float>(rows, rows, 0, rows.rows);
      store_rows(rows, s.y, begin);
    }
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/softmax.hpp>
#include <ridgepoint/ops/softmax.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const softmax_args<T>& s) {
  const index_t part_rows = ceil_div(part_elements, std::max<index_t>(s.x.cols, 1)),
                parts = ceil_div(s.x.rows, part_rows);
  parallel_for(parts > 1 ? on.thread_count() : 1, parts, [&](index_t part) {
    kernels::softmax_rows(s.x, s.y, part * part_rows, std::min(s.x.rows, (part + 1) * part_rows));
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

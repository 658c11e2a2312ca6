// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/dropout.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

static_assert(part_elements % dropout_mask::block == 0);

template <cpu_element T>
void execute(const native_cpu& on, const dropout_args<T>& d) {
  const dropout_mask mask(d.rate, d.seed, d.state->step, d.stream);
  if (d.steps == 1) {
    for_parts(on, d.size, [&](index_t begin, index_t end) { kernels::dropout(mask, d.x, d.y, begin, end); });
  } else {
    for_parts(on, d.size / d.steps, [&](index_t begin, index_t end) {
      kernels::dropout_of_steps(mask, d.x, d.y, d.steps, d.width, begin, end);
    });
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/dropout.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

static_assert(part_elements % dropout_mask::block == 0);

template <cpu_element T>
void execute(const native_cpu& on, const dropout_args<T>& d) {
  const dropout_mask mask(d.rate, d.seed, d.state->step, d.stream);
  for_parts(on, d.size, [&](index_t begin, index_t end) { kernels::dropout(mask, d.x, d.y, begin, end); });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

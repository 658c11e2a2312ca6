// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/gemm_schedule.hpp>
#include <ridgepoint/cpu/parts.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// dw ← the sum of the chunks' sums of `size` values, in their order.
template <class T>
void add_chunks(const native_cpu& on, const T* sums, index_t chunks, index_t size, T* dw) noexcept {
  const index_t step = static_cast<index_t>(piece_bytes<T>(size) / sizeof(T));
  for_parts(on, size, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) {
      T total = sums[i];
      for (index_t chunk = 1; chunk < chunks; ++chunk) total += sums[chunk * step + i];
      dw[i] = total;
    }
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

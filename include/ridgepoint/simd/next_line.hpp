// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

/// Returns the next line of a matrix, its address computed on demand: GCC 12 would compute the addresses of all lines
/// of an unrolled loop in advance, and spill them.
template <class T>
RIDGEPOINT_INLINE T* next_line(T* line, index_t ld) noexcept {
  line += ld;
  asm("" : "+r"(line));
  return line;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd

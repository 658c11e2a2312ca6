// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

/// The next line of a matrix, its address computed when it is needed: GCC 12 would compute those of all lines of an
/// unrolled loop beforehand, and spill them.
template <class T>
RIDGEPOINT_INLINE T* next_line(T* line, index_t ld) noexcept {
  line += ld;
  asm("" : "+r"(line));
  return line;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd

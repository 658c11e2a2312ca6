// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Makes a register's value unknown to the compiler, at no cost: its computation cannot be folded, hoisted or dropped,
/// and later uses cannot be merged with it (so a multiply and an add stay two instructions).
template <class T>
RIDGEPOINT_INLINE void keep(simd::batch<T>& x) noexcept {
#if defined(__x86_64__) || defined(__i386__)
  if constexpr (simd::native::width_bytes == 0) {
    asm volatile("" : "+v"(x.value));
  } else {
    typename simd::batch<T>::register_type bits = x;
    asm volatile("" : "+v"(bits));
    x = bits;
  }
#else
  asm volatile("" : "+m"(x));
#endif
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

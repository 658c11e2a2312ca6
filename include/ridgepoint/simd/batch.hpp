// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/simd/isa.hpp>

/// \file
/// `simd::batch<T>`: one register of T for the ISA of this translation unit, and the functions that kernels use:
///
///   load(p), store(p, x)                     unaligned; as fast as aligned on every CPU with AVX
///   load_partial(p, n), store_partial(p, x, n)   the first n lanes, 0 ≤ n ≤ lanes; the others read as 0 and are not
///       written; never faults
///   load_bytes<T>(p), store_bytes<T>(p, x)   one byte per lane, as the numbers 0 … 255
///   hold(x)                                  keeps x in its register: GCC 12 otherwise reloads it for every use
///   stream(p, x), end_stream()               non-temporal store, p aligned to the register; end before others read
///   fma(x, y, z)                             x·y + z, rounded once wherever the ISA has FMA
///   max(x, bound), min(x, bound)             NaN in x stays NaN
///   sqrt(x), round(x) (to even), select(mask, yes, no), any<T>(mask), sum(x), + − × ÷ and comparisons
///   sums(x, out)                             out[i] = sum(x[i]) for an array of registers
///   transpose_square(src, src_ld, dst, dst_ld)   dst(j, i) ← src(i, j) for a square of transpose_edge<T> in registers;
///       transpose_square<T, true>, where squares are of 32 bytes, for its left half
///   to_bits(x), from_bits<T>(i)              the lanes' bits as unsigned integers, and back
///
/// load, store and their partial forms also take pointers to bfloat16: loads convert to float exactly, stores round as
/// core/float16.hpp, bit for bit.
///
/// xsimd provides the register types and plain arithmetic. Functions that are missing from its releases or changed
/// between 8.1 and 14 (fma on AVX-512, NaN in max and min, masked access, horizontal sum) are in simd/isa/.
#include RIDGEPOINT_ISA_HEADER

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {
RIDGEPOINT_INLINE void end_stream() noexcept {
#if defined(__x86_64__)
  asm volatile("sfence" ::: "memory");
#endif
}
}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd

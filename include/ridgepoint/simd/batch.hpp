// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/simd/isa.hpp>
#include <ridgepoint/simd/next_line.hpp>

/// \file
/// `simd::batch<T>`: one register of T for the ISA of this translation unit, and the few functions kernels use:
///
///   load(p), store(p, x)                     unaligned; as fast as aligned on every CPU with AVX
///   load_partial(p, n), store_partial(p, x, n)   the first n lanes, 0 ≤ n ≤ lanes; the rest reads as 0, is not
///       written, never faults
///   load_bytes<T>(p), store_bytes<T>(p, x)   as many bytes as there are lanes, as the numbers 0 … 255
///   hold(x)                                  x stays in its register: GCC 12 else loads it again for every use
///   stream(p, x), end_stream()               non-temporal, p aligned to the register; at the end, before others read
///   fma(x, y, z)                             x·y + z, rounded once wherever the ISA has FMA
///   max(x, bound), min(x, bound)             NaN in x stays NaN
///   sqrt(x), round(x) (to even), select(mask, yes, no), any<T>(mask), sum(x), + − × ÷ and comparisons
///   sums(x, out)                             out[i] = sum(x[i]) for an array of registers
///   transpose_square(src, src_ld, dst, dst_ld)   dst(j, i) ← src(i, j) for a square of transpose_edge<T> in registers;
///       transpose_square<T, true>, where squares are of 32 bytes, for its left half
///   to_bits(x), from_bits<T>(i)              the lanes' bits as unsigned integers, and back
///
/// load, store and their partial forms also take pointers to bfloat16: to a register of float exactly, from it rounded
/// as core/bfloat16.hpp says, bit for bit.
///
/// xsimd gives the register types and plain arithmetic; what its releases lack or changed between 8.1 and 14 (fma on
/// AVX-512, NaN in max and min, masked access, horizontal sum) is in simd/isa/.
#include RIDGEPOINT_ISA_HEADER

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {
RIDGEPOINT_INLINE void end_stream() noexcept {
#if defined(__x86_64__)
  asm volatile("sfence" ::: "memory");
#endif
}
}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd

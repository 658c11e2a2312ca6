// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/config.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // numbers of registers and lanes are ints

/// \file
/// Vector registers in assembly, so that the CPU's capability is measured whatever this file is compiled for. To the
/// compiler a value is a float or double in an SSE register; %t and %g name the full ymm or zmm register around it.
/// All values are zero: nothing decays to denormals.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// SSE: 16 bytes, two operands, no FMA.
struct xmm_registers {
  static constexpr int bytes = 16;
  struct memory {
    char bytes[16];
  };
  template <class T>
  RIDGEPOINT_INLINE static void clear(T& x) {
    asm volatile("xorps %0, %0" : "=x"(x));
  }
  template <class T>
  RIDGEPOINT_INLINE static void mul_add(T& acc, T x, T y) {
    if constexpr (sizeof(T) == 4) asm volatile("mulps %2, %1\n\taddps %1, %0" : "+x"(acc), "+x"(x) : "x"(y));
    else asm volatile("mulpd %2, %1\n\taddpd %1, %0" : "+x"(acc), "+x"(x) : "x"(y));
  }
  RIDGEPOINT_INLINE static void load(float& x, const memory& m) { asm volatile("movaps %1, %0" : "=x"(x) : "m"(m)); }
  RIDGEPOINT_INLINE static void store(memory& m, float x) { asm volatile("movaps %1, %0" : "=m"(m) : "x"(x)); }
  RIDGEPOINT_INLINE static void stream(memory& m, float x) { asm volatile("movntps %1, %0" : "=m"(m) : "x"(x)); }
  RIDGEPOINT_INLINE static void leave() {}
};

/// AVX's ymm, 32 bytes, or AVX-512's zmm, 64: three operands. fma() only if the CPU has it.
template <int Bytes>
struct wide_registers {
  static_assert(Bytes == 32 || Bytes == 64);
  static constexpr int bytes = Bytes;
  struct memory {
    char bytes[Bytes];
  };
  template <class T>
  RIDGEPOINT_INLINE static void clear(T& x) {
    asm volatile("vxorps %x0, %x0, %x0" : "=x"(x));  // clears the full register
  }
  template <class T>
  RIDGEPOINT_INLINE static void fma(T& acc, T x, T y) {
    if constexpr (single<T> && zmm) asm volatile("vfmadd231ps %g2, %g1, %g0" : "+x"(acc) : "x"(x), "x"(y));
    else if constexpr (zmm) asm volatile("vfmadd231pd %g2, %g1, %g0" : "+x"(acc) : "x"(x), "x"(y));
    else if constexpr (single<T>) asm volatile("vfmadd231ps %t2, %t1, %t0" : "+x"(acc) : "x"(x), "x"(y));
    else asm volatile("vfmadd231pd %t2, %t1, %t0" : "+x"(acc) : "x"(x), "x"(y));
  }
  template <class T>
  RIDGEPOINT_INLINE static void mul_add(T& acc, T x, T y) {
    T product;
    if constexpr (single<T> && zmm)
      asm volatile("vmulps %g2, %g3, %g1\n\tvaddps %g1, %g0, %g0" : "+x"(acc), "=&x"(product) : "x"(x), "x"(y));
    else if constexpr (zmm)
      asm volatile("vmulpd %g2, %g3, %g1\n\tvaddpd %g1, %g0, %g0" : "+x"(acc), "=&x"(product) : "x"(x), "x"(y));
    else if constexpr (single<T>)
      asm volatile("vmulps %t2, %t3, %t1\n\tvaddps %t1, %t0, %t0" : "+x"(acc), "=&x"(product) : "x"(x), "x"(y));
    else asm volatile("vmulpd %t2, %t3, %t1\n\tvaddpd %t1, %t0, %t0" : "+x"(acc), "=&x"(product) : "x"(x), "x"(y));
  }
  RIDGEPOINT_INLINE static void load(float& x, const memory& m) {
    if constexpr (zmm) asm volatile("vmovaps %1, %g0" : "=x"(x) : "m"(m));
    else asm volatile("vmovaps %1, %t0" : "=x"(x) : "m"(m));
  }
  RIDGEPOINT_INLINE static void store(memory& m, float x) {
    if constexpr (zmm) asm volatile("vmovaps %g1, %0" : "=m"(m) : "x"(x));
    else asm volatile("vmovaps %t1, %0" : "=m"(m) : "x"(x));
  }
  RIDGEPOINT_INLINE static void stream(memory& m, float x) {
    if constexpr (zmm) asm volatile("vmovntps %g1, %0" : "=m"(m) : "x"(x));
    else asm volatile("vmovntps %t1, %0" : "=m"(m) : "x"(x));
  }
  /// Call after the last instruction: SSE code that follows must find the upper halves zero.
  RIDGEPOINT_INLINE static void leave() {
    asm volatile("vzeroupper" ::
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12", "xmm13", "xmm14", "xmm15");
  }

 private:
  static constexpr bool zmm = Bytes == 64;
  template <class T>
  static constexpr bool single = sizeof(T) == 4;
};
using ymm_registers = wide_registers<32>;
using zmm_registers = wide_registers<64>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop

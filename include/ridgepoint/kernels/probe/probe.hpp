// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/float16.hpp>
#include <ridgepoint/core/with_constant.hpp>
#include <ridgepoint/kernels/probe/args.hpp>
#include <ridgepoint/kernels/probe/probe_kernels.hpp>
#include <ridgepoint/simd/batch.hpp>
#include <ridgepoint/simd/cpuid.hpp>

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

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // numbers of registers and lanes are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Runs `iterations` steps of Chains independent accumulations acc ← 1·0 + acc in registers; returns the FLOP.
///
/// Multiplicand 1 and addend 0 keep every value normal: 0.999 would decay to denormals and run five times slower.
template <class T, int Chains>
RIDGEPOINT_NOINLINE std::uint64_t peak_fma(std::int64_t iterations) noexcept {
  simd::batch<T> acc[Chains], one(T(1)), zero(T(0));
  keep<T>(one);
  keep<T>(zero);
  RIDGEPOINT_UNROLL
  for (int i = 0; i < Chains; ++i) acc[i] = one;
  for (std::int64_t step = 0; step < iterations; ++step) {
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Chains; ++i) {
      if constexpr (!simd::native::fma) keep<T>(one);  // else the product would be computed once
      acc[i] = simd::fma(one, zero, acc[i]);
      keep<T>(acc[i]);
    }
  }
  return static_cast<std::uint64_t>(iterations) * 2 * Chains * static_cast<std::uint64_t>(simd::lanes<T>);
}

/// Runs the work of peak_fma() as a multiplication and an addition on every ISA: the peak of code without FMA.
template <class T, int Chains>
RIDGEPOINT_NOINLINE std::uint64_t peak_mul_add(std::int64_t iterations) noexcept {
  simd::batch<T> acc[Chains], one(T(1)), zero(T(0));
  keep<T>(zero);
  RIDGEPOINT_UNROLL
  for (int i = 0; i < Chains; ++i) acc[i] = one;
  for (std::int64_t step = 0; step < iterations; ++step) {
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Chains; ++i) {
      keep<T>(one);
      simd::batch<T> product = one * zero;
      keep<T>(product);
      acc[i] = acc[i] + product;
      keep<T>(acc[i]);
    }
  }
  return static_cast<std::uint64_t>(iterations) * 2 * Chains * static_cast<std::uint64_t>(simd::lanes<T>);
}

/// Runs `iterations` times 16 dependent additions; returns their number, one per clock cycle. Both operands are
/// registers: from Golden Cove on, adding a constant takes no cycle.
inline RIDGEPOINT_NOINLINE std::uint64_t integer_add_chain(std::int64_t iterations) noexcept {
  std::uint64_t sum = 0, one = 1;
  asm volatile("" : "+r"(one));
  for (std::int64_t step = 0; step < iterations; ++step) {
    RIDGEPOINT_UNROLL
    for (int i = 0; i < 16; ++i) {
      sum += one;
      asm volatile("" : "+r"(sum), "+r"(one));
    }
  }
  return sum;
}

/// Runs the requested number of chains. Numbers that would spill (accumulators, two constants and a temporary must fit
/// the registers) are not instantiated; the largest that fits runs instead.
template <class T>
std::uint64_t peak_window<T>::run(const peak_args<T>& args) noexcept {
  if (args.kind == peak_kind::integer_add) return integer_add_chain(args.iterations);
  return with_constant_of<peak_chains>(args.chains, [&](auto chains) {
    constexpr int fits = chains + 3 <= simd::native::registers ? chains : simd::native::registers - 4;
    return args.kind == peak_kind::fma ? peak_fma<T, fits>(args.iterations) : peak_mul_add<T, fits>(args.iterations);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Runs one pass over size elements (a multiple of 64): 64 elements a step, 256 bytes of every array.
///   load: read a      store: a ← 0      copy: a ← b      triad: a ← b + 3·c
template <stream_kind Kind, bool NonTemporal>
RIDGEPOINT_NOINLINE void stream_pass(float* a, const float* b, const float* c, index_t size) noexcept {
  constexpr int lanes = simd::lanes<float>, per_step = 64 / lanes;
  const simd::batch<float> three(3.0F);
  const auto put = [](float* p, simd::batch<float> x) {
    keep<float>(x);  // a loop of plain stores would become memset or memcpy
    NonTemporal ? simd::stream(p, x) : simd::store(p, x);
  };
  for (index_t i = 0; i < size; i += 64) {
    RIDGEPOINT_UNROLL
    for (int j = 0; j < per_step; ++j) {
      const index_t at = i + j * lanes;
      if constexpr (Kind == stream_kind::load) {
        simd::batch<float> x = simd::load<float>(a + at);
        keep<float>(x);
      } else if constexpr (Kind == stream_kind::store) {
        put(a + at, simd::batch<float>(0.0F));
      } else if constexpr (Kind == stream_kind::copy) {
        put(a + at, simd::load<float>(b + at));
      } else {
        put(a + at, simd::fma(three, simd::load<float>(c + at), simd::load<float>(b + at)));
      }
    }
  }
  if constexpr (NonTemporal) simd::end_stream();
}

/// Runs all passes of one thread over its part of the arrays, elements first … first + size − 1; returns the bytes
/// moved. pass<kind, non-temporal>(a, b, c, size) is one pass.
template <class Pass>
std::uint64_t run_passes(const stream_args& args, index_t first, index_t size, const Pass& pass) noexcept {
  with_constant<stream_kind::load, stream_kind::triad>(args.kind, [&](auto kind) {
    const auto offset = [&](float* p) { return p == nullptr ? p : p + first; };
    float *a = offset(args.a), *b = offset(args.b), *c = offset(args.c);
    for (std::int64_t done = 0; done < args.passes; ++done) {
      args.non_temporal ? pass.template operator()<kind, true>(a, b, c, size)
                        : pass.template operator()<kind, false>(a, b, c, size);
      asm volatile("" ::: "memory");
    }
  });
  return static_cast<std::uint64_t>(args.passes) * sizeof(float) * static_cast<std::uint64_t>(size) *
         static_cast<std::uint64_t>(stream_arrays(args.kind));
}
/// Runs run_passes() with stream_pass().
template <class T>
std::uint64_t stream_window<T>::run(const stream_args& args, index_t first, index_t size) noexcept {
  return run_passes(args, first, size,
                    []<stream_kind Kind, bool NonTemporal>(float* a, const float* b, const float* c, index_t n) {
                      stream_pass<Kind, NonTemporal>(a, b, c, n);
                    });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // numbers of registers and lanes are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Runs `iterations` steps of Chains independent accumulations in full registers of kind R; returns the FLOP.
template <class R, peak_kind Kind, class T, int Chains>
RIDGEPOINT_NOINLINE std::uint64_t assembly_peak(std::int64_t iterations) noexcept {
  T acc[Chains], x, y;
  R::clear(x);
  R::clear(y);
  RIDGEPOINT_UNROLL
  for (int i = 0; i < Chains; ++i) R::clear(acc[i]);
  for (std::int64_t step = 0; step < iterations; ++step) {
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Chains; ++i) {
      if constexpr (Kind == peak_kind::fma) R::fma(acc[i], x, y);
      else R::mul_add(acc[i], x, y);
    }
  }
  R::leave();
  return static_cast<std::uint64_t>(iterations) * 2 * Chains * (R::bytes / sizeof(T));
}

/// Runs one pass over size elements (a multiple of 64), 64 elements a step, like stream_pass().
template <class R, class Fma, stream_kind Kind, bool NonTemporal>
RIDGEPOINT_NOINLINE void assembly_pass(float* a, const float* b, const float* c, index_t size) noexcept {
  constexpr int lanes = R::bytes / sizeof(float);
  using memory = typename R::memory;
  const auto at = [](const float* p) -> const memory& { return *reinterpret_cast<const memory*>(p); };
  float zero;
  R::clear(zero);
  for (index_t i = 0; i < size; i += 64) {
    RIDGEPOINT_UNROLL
    for (int vector = 0; vector < 64 / lanes; ++vector) {
      const index_t j = i + vector * lanes;
      float x = zero;
      if constexpr (Kind == stream_kind::load) R::load(x, at(a + j));
      if constexpr (Kind == stream_kind::copy || Kind == stream_kind::triad) R::load(x, at(b + j));
      if constexpr (Kind == stream_kind::triad) {
        float y;
        R::load(y, at(c + j));
        if constexpr (Fma::value) R::fma(x, y, zero);
        else R::mul_add(x, y, zero);
      }
      memory& to = *reinterpret_cast<memory*>(a + j);
      if constexpr (Kind == stream_kind::load) continue;
      else if constexpr (NonTemporal) R::stream(to, x);
      else R::store(to, x);
    }
  }
  if constexpr (NonTemporal) asm volatile("sfence" ::: "memory");
  R::leave();
}

/// Registers whose fma() multiplies pairs of bfloat16, with vdpbf16ps.
struct pair_registers : zmm_registers {
  RIDGEPOINT_INLINE static void fma(float& acc, float x, float y) {
    asm volatile("vdpbf16ps %g2, %g1, %g0" : "+x"(acc) : "x"(x), "x"(y));
  }
};

/// Runs `iterations` times four independent products of 16×32 by 32×16 bfloat16 on tiles (AMX); returns the FLOP.
inline RIDGEPOINT_NOINLINE std::uint64_t tile_peak(std::int64_t iterations) noexcept {
  alignas(64) static constexpr auto config = [] {
    struct {
      std::uint8_t palette = 1, unused[15] = {};
      std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64};
      std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16};
    } all;
    return all;
  }();
  asm volatile("ldtilecfg %0" : : "m"(config));  // which sets all tiles to 0
  for (std::int64_t step = 0; step < iterations; ++step) {
    asm volatile("tdpbf16ps %tmm5, %tmm4, %tmm0\n\ttdpbf16ps %tmm5, %tmm4, %tmm1");
    asm volatile("tdpbf16ps %tmm5, %tmm4, %tmm2\n\ttdpbf16ps %tmm5, %tmm4, %tmm3");
  }
  asm volatile("tilerelease");
  return static_cast<std::uint64_t>(iterations) * 4 * 2 * 16 * 16 * 32;
}

/// Runs a window of bfloat16 products: on tiles, else in registers. Requires: a CPU with either.
inline std::uint64_t run_peak(const peak_args<bfloat16>& args) noexcept {
  if (simd::cpu_speed_of_bfloat16() == simd::bfloat16_speed::tiles) return tile_peak(args.iterations);
  return 2 * assembly_peak<pair_registers, peak_kind::fma, float, 12>(args.iterations);
}
template <>
inline std::uint64_t peak_window<bfloat16>::run(const peak_args<bfloat16>& args) noexcept {
  return run_peak(args);
}

/// Calls run(registers, has_fma) for an instruction set by name.
template <class Run>
auto with_registers(std::string_view isa, Run&& run) noexcept {
  if (isa == simd::isa::avx512::name) return run(zmm_registers{}, std::true_type{});
  if (isa == simd::isa::avx2::name || isa == simd::isa::avx_fma::name) return run(ymm_registers{}, std::true_type{});
  if (isa == simd::isa::avx::name) return run(ymm_registers{}, std::false_type{});
  return run(xmm_registers{}, std::false_type{});
}

/// Runs peak_window with the registers of an instruction set of this CPU: up to 12 chains.
template <class T>
std::uint64_t run_peak(std::string_view isa, const peak_args<T>& args) noexcept {
  if (args.kind == peak_kind::integer_add) return integer_add_chain(args.iterations);
  return with_registers(isa, [&]<class R, class Fma>(R, Fma) {
    const auto run = [&]<int Chains>() {
      if constexpr (Fma::value)
        if (args.kind == peak_kind::fma) return assembly_peak<R, peak_kind::fma, T, Chains>(args.iterations);
      return assembly_peak<R, peak_kind::mul_add, T, Chains>(args.iterations);
    };
    return args.chains <= 6   ? run.template operator()<6>()
           : args.chains <= 8 ? run.template operator()<8>()
                              : run.template operator()<12>();
  });
}

/// Runs stream_window with the registers of an instruction set of this CPU.
inline std::uint64_t run_stream(std::string_view isa, const stream_args& args, index_t first, index_t size) noexcept {
  return with_registers(isa, [&]<class R, class Fma>(R, Fma) {
    return run_passes(args, first, size,
                      []<stream_kind Kind, bool NonTemporal>(float* a, const float* b, const float* c, index_t n) {
                        assembly_pass<R, Fma, Kind, NonTemporal>(a, b, c, n);
                      });
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop

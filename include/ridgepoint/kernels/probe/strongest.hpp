// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/probe/args.hpp>
#include <ridgepoint/kernels/probe/assembly.hpp>
#include <ridgepoint/kernels/probe/peak.hpp>
#include <ridgepoint/kernels/probe/stream.hpp>
#include <ridgepoint/simd/cpuid.hpp>

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

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/with_constant.hpp>
#include <ridgepoint/kernels/probe/args.hpp>
#include <ridgepoint/kernels/probe/keep.hpp>
#include <ridgepoint/kernels/probe/probe_kernels.hpp>

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

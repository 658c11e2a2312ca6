// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

/// \file
/// The instruction sets, weakest first: everything about one except its registers, which are in simd/isa/<name>.hpp.
/// RIDGEPOINT_ISA is the name of the one that this translation unit is compiled for, from the compiler's own macros;
/// cmake/isa.cmake reads names, flags and the list of shipped ones.
///
/// This file has only data, equal in every translation unit. Unlike everything else it is outside RIDGEPOINT_ABI, and
/// it must not have a function that could be called at run time.
namespace ridgepoint::isa {

/// The CPUID and XCR0 words that decide which instruction sets may run.
struct cpuid_words {
  std::uint32_t leaf1_ecx = 0, leaf7_ebx = 0;
  std::uint64_t xcr0 = 0;  // register state the operating system saves
};
template <class... Bits>
consteval std::uint32_t bits(Bits... numbers) {
  return ((1U << numbers) | ... | 0U);
}

/// IEEE scalars only.
#define RIDGEPOINT_ISA scalar
struct scalar {
  static constexpr std::string_view name = "scalar";
  static constexpr std::string_view flags =
      "-march=x86-64 -DRIDGEPOINT_FORCE_SCALAR -fno-tree-vectorize -fno-tree-slp-vectorize";
  static constexpr int registers = 16, width_bytes = 0;
  static constexpr bool fma = false;
  static constexpr cpuid_words needs{};
};

#if defined(__SSE4_2__)
#undef RIDGEPOINT_ISA
#define RIDGEPOINT_ISA sse4_2
#endif
struct sse4_2 {
  static constexpr std::string_view name = "sse4_2";
  static constexpr std::string_view flags = "-march=x86-64 -msse4.2";
  static constexpr int registers = 16, width_bytes = 16;
  static constexpr bool fma = false;
  static constexpr cpuid_words needs{.leaf1_ecx = bits(20, 23)};  // SSE4.2, POPCNT
};

#if defined(__AVX__)
#undef RIDGEPOINT_ISA
#define RIDGEPOINT_ISA avx
#endif
struct avx {
  static constexpr std::string_view name = "avx";
  static constexpr std::string_view flags = "-march=x86-64 -mavx";
  static constexpr int registers = 16, width_bytes = 32;
  static constexpr bool fma = false;
  static constexpr cpuid_words needs{.leaf1_ecx = sse4_2::needs.leaf1_ecx | bits(27, 28), .xcr0 = bits(1, 2)};
};

#if defined(__AVX__) && defined(__FMA__)
#undef RIDGEPOINT_ISA
#define RIDGEPOINT_ISA avx_fma
#endif
struct avx_fma {
  static constexpr std::string_view name = "avx_fma";
  static constexpr std::string_view flags = "-march=x86-64 -mavx -mfma";
  static constexpr int registers = 16, width_bytes = 32;
  static constexpr bool fma = true;
  static constexpr cpuid_words needs{.leaf1_ecx = avx::needs.leaf1_ecx | bits(12), .xcr0 = avx::needs.xcr0};
};

#if defined(__AVX2__) && defined(__FMA__)
#undef RIDGEPOINT_ISA
#define RIDGEPOINT_ISA avx2
#endif
struct avx2 {
  static constexpr std::string_view name = "avx2";
  static constexpr std::string_view flags = "-march=x86-64 -mavx2 -mfma -mf16c -mbmi2";
  static constexpr int registers = 16, width_bytes = 32;
  static constexpr bool fma = true;
  static constexpr cpuid_words needs{.leaf1_ecx = avx_fma::needs.leaf1_ecx | bits(29),  // F16C
                                     .leaf7_ebx = bits(5, 8),                           // AVX2, BMI2
                                     .xcr0 = avx_fma::needs.xcr0};
};

#if defined(__AVX512F__) && defined(__AVX512CD__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && \
    defined(__AVX512VL__)
#undef RIDGEPOINT_ISA
#define RIDGEPOINT_ISA avx512
#endif
struct avx512 {
  static constexpr std::string_view name = "avx512";
  static constexpr std::string_view flags =
      "-march=x86-64 -mavx2 -mfma -mf16c -mbmi2 "
      "-mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mprefer-vector-width=512";
  static constexpr int registers = 32, width_bytes = 64;
  static constexpr bool fma = true;
  static constexpr cpuid_words needs{.leaf1_ecx = avx2::needs.leaf1_ecx,
                                     .leaf7_ebx = avx2::needs.leaf7_ebx | bits(16, 17, 28, 30, 31),  // F DQ CD BW VL
                                     .xcr0 = avx2::needs.xcr0 | bits(5, 6, 7)};
};

template <class... Isa>
struct list {};
/// All instruction sets, weakest first.
using all = list<scalar, sse4_2, avx, avx_fma, avx2, avx512>;
/// Instruction sets in the archive ridgepoint::dispatch. FMA without AVX2 exists in one family of CPUs of 2012 to 2015
/// (AMD's Piledriver and Steamroller): the archive runs avx there; a program built with -mavx -mfma has own kernels.
using shipped = list<scalar, sse4_2, avx, avx2, avx512>;

}  // namespace ridgepoint::isa

// SPDX-License-Identifier: MIT
#pragma once

#include <cpuid.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <ridgepoint/simd/isa.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

/// The words of CPUID and XCR0 that decide which instruction sets may run.
struct cpuid_words {
  std::uint32_t leaf1_ecx = 0, leaf7_ebx = 0;
  std::uint64_t xcr0 = 0;  // register state the operating system saves
};

/// This CPU's words. XGETBV is only executed where CPUID says that the operating system has enabled it.
[[nodiscard]] inline cpuid_words read_cpuid() noexcept {
  cpuid_words words;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) words.leaf1_ecx = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) words.leaf7_ebx = ebx;
  constexpr std::uint32_t osxsave = 1U << 27;
  if ((words.leaf1_ecx & osxsave) != 0) {
    std::uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    words.xcr0 = (std::uint64_t{high} << 32) | low;
  }
  return words;
}

/// Whether a CPU with these words runs code compiled with cmake/isa.cmake's flags for `isa`. False for an unknown name.
///
/// A vector extension counts only if the operating system saves its registers: XCR0 bits 1, 2 (xmm, ymm) for AVX and
/// 5, 6, 7 (mask, upper zmm, zmm16-31) for AVX-512.
[[nodiscard]] constexpr bool runs(const cpuid_words& words, std::string_view isa) noexcept {
  const auto has = [](std::uint64_t word, std::initializer_list<int> bits) {
    for (const int bit : bits)
      if (((word >> bit) & 1U) == 0) return false;
    return true;
  };
  const bool sse4_2 = has(words.leaf1_ecx, {20, 23});  // SSE4.2, POPCNT
  const bool avx = sse4_2 && has(words.leaf1_ecx, {27, 28}) && has(words.xcr0, {1, 2});
  const bool avx_fma = avx && has(words.leaf1_ecx, {12});
  const bool avx2 = avx_fma && has(words.leaf1_ecx, {29}) && has(words.leaf7_ebx, {5, 8});  // F16C; AVX2, BMI2
  const bool avx512 =
      avx2 && has(words.leaf7_ebx, {16, 17, 28, 30, 31}) && has(words.xcr0, {5, 6, 7});  // F DQ CD BW VL
  return isa == isa::scalar::name || (isa == isa::sse4_2::name && sse4_2) || (isa == isa::avx::name && avx) ||
         (isa == isa::avx_fma::name && avx_fma) || (isa == isa::avx2::name && avx2) ||
         (isa == isa::avx512::name && avx512);
}

/// Whether this CPU and its operating system run `isa` ("scalar" … "avx512").
/// Example: if (rp::simd::cpu_runs("avx2")) …
[[nodiscard]] inline bool cpu_runs(std::string_view isa) noexcept {
  static const cpuid_words words = read_cpuid();
  return runs(words, isa);
}

/// Every instruction set this CPU runs, weakest first, separated by spaces: "scalar sse4_2 avx avx_fma avx2".
[[nodiscard]] inline std::string cpu_isas() {
  std::string names;
  for (const std::string_view isa : isa_names)
    if (cpu_runs(isa)) names.append(names.empty() ? "" : " ").append(isa);
  return names;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd

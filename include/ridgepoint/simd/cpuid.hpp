// SPDX-License-Identifier: MIT
#pragma once

#include <cpuid.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <ridgepoint/simd/isa.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

using isa::cpuid_words;

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

/// Whether a CPU with these words runs code compiled with the flags of `name`. False for an unknown name.
///
/// A vector extension counts only if the operating system saves its registers: XCR0 bits 1, 2 (xmm, ymm) for AVX and
/// 5, 6, 7 (mask, upper zmm, zmm16-31) for AVX-512.
[[nodiscard]] constexpr bool runs(const cpuid_words& words, std::string_view name) noexcept {
  const auto has = [&](const cpuid_words& needs) {
    return (needs.leaf1_ecx & ~words.leaf1_ecx) == 0 && (needs.leaf7_ebx & ~words.leaf7_ebx) == 0 &&
           (needs.xcr0 & ~words.xcr0) == 0;
  };
  return [&]<class... Isa>(isa::list<Isa...>) { return ((name == Isa::name && has(Isa::needs)) || ...); }(isa::all{});
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

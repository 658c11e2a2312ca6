// SPDX-License-Identifier: MIT
#pragma once

#include <cpuid.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <cstdint>
#include <string>
#include <string_view>

#include <ridgepoint/simd/isa.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

using isa::cpuid_words;

/// Reads this CPU's words. Executes XGETBV only if CPUID reports that the operating system has enabled it.
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

/// Returns true if a CPU with these words runs code compiled with the flags of `name`. False for an unknown name.
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

/// Returns this CPU's words, read once.
[[nodiscard]] inline const cpuid_words& this_cpuid() noexcept {
  static const cpuid_words words = read_cpuid();
  return words;
}

/// Returns true if this CPU and its operating system run `isa` ("scalar" … "avx512").
/// Example: if (rp::simd::cpu_runs("avx2")) …
[[nodiscard]] inline bool cpu_runs(std::string_view isa) noexcept { return runs(this_cpuid(), isa); }

/// Speed of products of bfloat16 relative to FMA of f32: `half` and `twice` of vdpbf16ps (AVX512-BF16: two products per
/// lane), `tiles` of tdpbf16ps (AMX: 16 times as many products a cycle as two FMAs of 512 bits).
enum class bfloat16_speed { none, half, twice, tiles };

/// Returns the speed of vdpbf16ps. leaf7_1_eax: CPUID's leaf 7, subleaf 1; vendor_ebx: leaf 0. Twice: AMD, with as many
/// a cycle as FMA (a Zen 5 reaches 502 GFLOP/s a core, 251 in f32). Half, also assumed of all others: Intel, which has
/// AMX for this (an Emerald Rapids does one in two cycles: 89 GFLOP/s a core, 179 in f32).
[[nodiscard]] constexpr bfloat16_speed speed_of_bfloat16(std::uint32_t leaf7_1_eax, std::uint32_t vendor_ebx) noexcept {
  constexpr std::uint32_t avx512_bf16 = 1U << 5, amd = 0x68747541;  // "Auth"
  if ((leaf7_1_eax & avx512_bf16) == 0) return bfloat16_speed::none;
  return vendor_ebx == amd ? bfloat16_speed::twice : bfloat16_speed::half;
}

/// Returns true if a CPU has AMX with bfloat16 and the operating system saves its tiles (XCR0 bits 17, 18).
/// leaf7_edx: CPUID's leaf 7.
[[nodiscard]] constexpr bool has_tiles(std::uint32_t leaf7_edx, std::uint64_t xcr0) noexcept {
  constexpr std::uint32_t amx_bf16_and_tile = 1U << 22 | 1U << 24;
  constexpr std::uint64_t tile_state = std::uint64_t{3} << 17;
  return (leaf7_edx & amx_bf16_and_tile) == amx_bf16_and_tile && (xcr0 & tile_state) == tile_state;
}

/// Asks the kernel to let this process use tiles, which have 8 KiB of state per thread; stacks of signal handlers must
/// hold it from then on. Returns false if the kernel refuses, as it does if such a stack is too small.
[[nodiscard]] inline bool request_tiles() noexcept {
#if defined(__linux__)
  constexpr long request_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}

/// Returns this CPU's speed; also none if the operating system does not save AVX-512 registers. Asks for tiles once.
[[nodiscard]] inline bfloat16_speed cpu_speed_of_bfloat16() noexcept {
  static const bfloat16_speed speed = [] {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0, vendor = 0;
    if (!cpu_runs("avx512") || __get_cpuid(0, &eax, &vendor, &ecx, &edx) == 0) return bfloat16_speed::none;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return bfloat16_speed::none;
    const bool tiles = has_tiles(edx, this_cpuid().xcr0) && request_tiles();
    if (__get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) == 0) return bfloat16_speed::none;
    const bfloat16_speed of_registers = speed_of_bfloat16(eax, vendor);
    return tiles && of_registers != bfloat16_speed::none ? bfloat16_speed::tiles : of_registers;
  }();
  return speed;
}

/// Returns true if a CPU computes a 512-bit FMA in two halves, no faster than two 256-bit ones, as Zen 4 does.
/// leaf1_eax: CPUID's leaf 1; its bits 8 to 11 and 20 to 27 are the family, 25 for Zen 3 (which has no AVX-512) and
/// Zen 4.
[[nodiscard]] constexpr bool halves_zmm(std::uint32_t leaf1_eax, std::uint32_t vendor_ebx) noexcept {
  constexpr std::uint32_t amd = 0x68747541, zen4 = 25;  // "Auth"
  return vendor_ebx == amd && ((leaf1_eax >> 8) & 15U) + ((leaf1_eax >> 20) & 255U) == zen4;
}

/// Returns halves_zmm() of this CPU.
[[nodiscard]] inline bool cpu_halves_zmm() noexcept {
  static const bool halves = [] {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0, vendor = 0;
    if (__get_cpuid(0, &eax, &vendor, &ecx, &edx) == 0 || __get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return false;
    return halves_zmm(eax, vendor);
  }();
  return halves;
}

/// Lists the instruction sets this CPU runs, weakest first, separated by spaces: "scalar sse4_2 avx avx_fma avx2".
[[nodiscard]] inline std::string cpu_isas() {
  std::string names;
  for (const std::string_view isa : isa_names)
    if (cpu_runs(isa)) names.append(names.empty() ? "" : " ").append(isa);
  return names;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd

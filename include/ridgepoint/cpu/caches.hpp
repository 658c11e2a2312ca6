// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include <ridgepoint/core/error.hpp>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Data and unified caches seen by one core, in bytes: L1 and L2 private, L3 shared by l3_sharers logical processors.
/// 0: the CPU has no such level.
struct cache_sizes {
  std::size_t l1_bytes = 0, l2_bytes = 0, l3_bytes = 0, l3_sharers = 1;
  // The L3 of a complex of a few AMD cores: on Zen 4 packed B streams from it, 5 to 11 bytes a cycle, as fast as from
  // L2 (`ridgepoint bench gemm --transpose tn --shape 512,2048,2560`).
  bool l3_is_near = false;
  friend constexpr bool operator==(const cache_sizes&, const cache_sizes&) = default;
};

namespace detail {

/// Reads CPUID leaf 4 (Intel) or 0x8000001D (AMD, same fields); all zero if neither is implemented.
[[nodiscard]] inline cache_sizes caches_from_cpuid() noexcept {
  cache_sizes found;
#if defined(__x86_64__) || defined(__i386__)
  for (const unsigned leaf : {0x8000001DU, 4U}) {
    const auto highest = __get_cpuid_max(leaf & 0x80000000U, nullptr);  // unsigned in GCC, int in Clang
    if (std::bit_cast<unsigned>(highest) < leaf) continue;
    for (unsigned entry = 0; entry < 16; ++entry) {
      unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
      __cpuid_count(leaf, entry, eax, ebx, ecx, edx);
      const unsigned type = eax & 31U, level = (eax >> 5) & 7U;  // 1 data, 2 instructions, 3 unified
      if (type == 0) break;
      if (type == 2 || level > 3) continue;  // a fourth level is memory-side: eDRAM
      const std::size_t ways = (ebx >> 22) + 1, partitions = ((ebx >> 12) & 1023U) + 1, line = (ebx & 4095U) + 1;
      const std::size_t bytes = ways * partitions * line * (std::size_t{ecx} + 1);
      (level == 1 ? found.l1_bytes : level == 2 ? found.l2_bytes : found.l3_bytes) = bytes;
      if (level == 3) found.l3_sharers = ((eax >> 14) & 4095U) + 1, found.l3_is_near = leaf == 0x8000001DU;
    }
    if (found.l1_bytes != 0) return found;
  }
#endif
  return found;
}

[[nodiscard]] inline cache_sizes caches_from_system() noexcept {
  cache_sizes found;
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  const auto bytes = [](int name) noexcept {
    const long value = sysconf(name);
    return value > 0 ? static_cast<std::size_t>(value) : std::size_t{0};
  };
  found.l1_bytes = bytes(_SC_LEVEL1_DCACHE_SIZE), found.l2_bytes = bytes(_SC_LEVEL2_CACHE_SIZE);
  found.l3_bytes = bytes(_SC_LEVEL3_CACHE_SIZE);
#endif
  return found;
}

/// Parses the value of RIDGEPOINT_CACHES: "L1,L2,L3" or "L1,L2,L3,near", in bytes or with K, M or G (powers of 1024).
///
/// Throws: value_error unless 16 KiB <= L1 <= L2 and none is over 1 TiB.
[[nodiscard]] inline cache_sizes caches_from_text(std::string_view text) {
  constexpr std::size_t least = std::size_t{16} << 10, most = std::size_t{1} << 40;
  const auto check = [&](bool ok) {
    require<value_error>(ok, "RIDGEPOINT_CACHES is '", text,
                         "'; must be L1,L2,L3 or L1,L2,L3,near, as 48K,2M,0, with 16K <= L1 <= L2, each <= 1024G");
  };
  cache_sizes found;
  std::string_view rest = text;
  for (std::size_t* const bytes : {&found.l1_bytes, &found.l2_bytes, &found.l3_bytes}) {
    const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), *bytes);
    check(failed == std::errc());
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    constexpr std::string_view units = "KMG";
    const std::size_t unit = rest.empty() ? units.npos : units.find(rest.front());
    const std::size_t shift = unit == units.npos ? 0 : 10 * (unit + 1);
    check(*bytes <= most >> shift);
    *bytes <<= shift;
    if (shift != 0) rest.remove_prefix(1);
    if (bytes == &found.l3_bytes) break;
    check(rest.starts_with(','));
    rest.remove_prefix(1);
  }
  found.l3_is_near = rest == ",near";
  check((rest.empty() || found.l3_is_near) && least <= found.l1_bytes && found.l1_bytes <= found.l2_bytes);
  return found;
}

}  // namespace detail

/// Returns the caches of this CPU: from RIDGEPOINT_CACHES in the environment, else from CPUID, else from the operating
/// system, else 32 KiB, 256 KiB and 8 MiB. Determined once.
///
/// RIDGEPOINT_CACHES=L1,L2,L3 replaces them, which gives the plans of another CPU: 48K,2M,480M, or 32K,1M,0 without an
/// L3, or 32K,512K,32M,near with an L3 of few cores, as AMD's. Results may round differently, as between CPUs.
/// Throws: value_error if RIDGEPOINT_CACHES is malformed. The constructors of rp::cpu and rp::native_cpu call it first.
/// Example: const std::size_t half_l1 = rp::host_caches().l1_bytes / 2;
[[nodiscard]] inline const cache_sizes& host_caches() {
  static const cache_sizes found = [] {
    if (const char* const text = std::getenv("RIDGEPOINT_CACHES"); text != nullptr && *text != '\0')
      return detail::caches_from_text(text);
    cache_sizes sizes = detail::caches_from_cpuid();
    if (sizes.l1_bytes == 0) sizes = detail::caches_from_system();
    if (sizes.l1_bytes == 0) sizes = {.l1_bytes = 32 << 10, .l2_bytes = 256 << 10, .l3_bytes = 8 << 20};
    if (sizes.l2_bytes == 0) sizes.l2_bytes = sizes.l1_bytes;
    return sizes;
  }();
  return found;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

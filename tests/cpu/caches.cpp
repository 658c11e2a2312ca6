// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include <ridgepoint/cpu/caches.hpp>
#include <ridgepoint/cpu/gemm_schedule.hpp>

namespace rp = ridgepoint;

TEST_CASE("caches have plausible sizes") {
  const rp::cache_sizes& caches = rp::host_caches();
  CHECK(caches.l1_bytes >= 16U << 10);
  CHECK(caches.l1_bytes <= 1U << 20);
  CHECK(caches.l2_bytes >= caches.l1_bytes);
  CHECK(caches.l3_sharers >= 1);
  CHECK(&caches == &rp::host_caches());
}

TEST_CASE("RIDGEPOINT_CACHES takes L1, L2 and L3 in bytes or with a unit, and whether L3 is near") {
  constexpr std::size_t kib = 1024, mib = 1024 * kib;
  const auto parsed = [](std::string_view text) { return rp::detail::caches_from_text(text); };
  CHECK(parsed("48K,2M,480M") == rp::cache_sizes{.l1_bytes = 48 * kib, .l2_bytes = 2 * mib, .l3_bytes = 480 * mib});
  CHECK(parsed("32768,262144,0") == rp::cache_sizes{.l1_bytes = 32 * kib, .l2_bytes = 256 * kib});
  CHECK(parsed("32K,32K,1G,near") ==
        rp::cache_sizes{.l1_bytes = 32 * kib, .l2_bytes = 32 * kib, .l3_bytes = 1024 * mib, .l3_is_near = true});
  std::istringstream malformed(
      "|32K|32K,1M|32K,1M,|32K,1M,0,|32K,1M,0,far|32K,1M,0near|32K,1M,0,near | 32K,1M,0|32k,1M,0|"
      "32KB,1M,0|32K,,0|-32K,1M,0|+32K,1M,0|32.5K,1M,0|0x8000,1M,0|16383,1M,0|64K,32K,0|32K,1M,1025G|"
      "18446744073709551616,1M,0|32K,18014398509481984K,0|32K;1M;0|much|");
  for (std::string text; std::getline(malformed, text, '|');) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(static_cast<void>(parsed(text)),
                         doctest::Contains("; must be L1,L2,L3 or L1,L2,L3,near, as 48K,2M,0, with 16K <= L1 <= L2"),
                         rp::value_error);
  }
}

TEST_CASE("CPUID and the operating system agree on L1 if both report it") {
  const rp::cache_sizes cpuid = rp::detail::caches_from_cpuid(), system = rp::detail::caches_from_system();
  if (cpuid.l1_bytes != 0 && system.l1_bytes != 0) CHECK(cpuid.l1_bytes == system.l1_bytes);
}

TEST_CASE("packed B of a product is up to a core's share of a near L3, otherwise half of L2") {
  constexpr std::size_t mib = std::size_t{1} << 20;
  const auto panels = [](const rp::cache_sizes& host) { return rp::detail::gemm_caches_of(host).panels; };
  CHECK(panels({.l1_bytes = 32 << 10, .l2_bytes = mib, .l3_bytes = 32 * mib, .l3_sharers = 16, .l3_is_near = true}) ==
        2 * mib);
  CHECK(panels({.l1_bytes = 32 << 10, .l2_bytes = mib, .l3_bytes = 32 * mib, .l3_sharers = 2, .l3_is_near = true}) ==
        4 * mib);
  CHECK(panels({.l1_bytes = 32 << 10, .l2_bytes = mib, .l3_bytes = 256 * mib, .l3_sharers = 2, .l3_is_near = true}) ==
        8 * mib);
  CHECK(panels({.l1_bytes = 48 << 10, .l2_bytes = 2 * mib, .l3_bytes = 105 * mib, .l3_sharers = 2}) == 0);
  CHECK(panels({.l1_bytes = 32 << 10, .l2_bytes = mib, .l3_bytes = 4 * mib, .l3_sharers = 8, .l3_is_near = true}) == 0);
  CHECK(panels({.l1_bytes = 32 << 10, .l2_bytes = mib, .l3_is_near = true}) == 0);
}

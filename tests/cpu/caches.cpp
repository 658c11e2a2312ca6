// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/cpu/gemm_schedule.hpp>

namespace rp = ridgepoint;

TEST_CASE("caches have plausible sizes, growing with the level") {
  const rp::cache_sizes& caches = rp::host_caches();
  CHECK(caches.l1_bytes >= 4U << 10);
  CHECK(caches.l1_bytes <= 1U << 20);
  CHECK(caches.l2_bytes >= caches.l1_bytes);
  CHECK((caches.l3_bytes == 0 || caches.l3_bytes >= caches.l2_bytes));
  CHECK(caches.l3_sharers >= 1);
  CHECK(&caches == &rp::host_caches());
}

TEST_CASE("CPUID and the operating system agree on L1 where both know it") {
  const rp::cache_sizes cpuid = rp::detail::caches_from_cpuid(), system = rp::detail::caches_from_system();
  if (cpuid.l1_bytes != 0 && system.l1_bytes != 0) CHECK(cpuid.l1_bytes == system.l1_bytes);
}

TEST_CASE("packed B of a product may fill a core's share of an L3 that is near, else half of L2") {
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

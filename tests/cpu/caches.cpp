// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/cpu/caches.hpp>

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

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/cpu/native_cpu.hpp>

namespace rp = ridgepoint;

static_assert(rp::backend<rp::native_cpu>);

TEST_CASE("the CPU backend has the requested threads, or all") {
  CHECK(rp::native_cpu(3).thread_count() == 3);
  CHECK(rp::native_cpu().thread_count() == rp::available_threads());
  CHECK(rp::available_threads() >= 1);
  CHECK_THROWS_WITH_AS(rp::native_cpu(-1), "native_cpu: threads is -1; must be 0 (all) to 1024", rp::value_error);
  CHECK_THROWS_AS(rp::native_cpu(1025), rp::value_error);
}

TEST_CASE("the CPU backend names its instruction set") {
  CHECK(rp::native_cpu::name() == "ridgepoint." + std::string(rp::simd::native::name));
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/cpu/cpu.hpp>

namespace rp = ridgepoint;

static_assert(rp::backend<rp::cpu>);

TEST_CASE("the CPU backend has the threads it is asked for, or all there are") {
  CHECK(rp::cpu(3).thread_count() == 3);
  CHECK(rp::cpu().thread_count() == rp::available_threads());
  CHECK(rp::available_threads() >= 1);
  CHECK_THROWS_WITH_AS(rp::cpu(-1), "cpu: threads is -1; must be 0 (all) to 1024", rp::value_error);
  CHECK_THROWS_AS(rp::cpu(1025), rp::value_error);
}

TEST_CASE("the CPU backend names its instruction set") {
  CHECK(rp::cpu::name() == "ridgepoint." + std::string(rp::simd::native::name));
}

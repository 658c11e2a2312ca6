// SPDX-License-Identifier: MIT
#include <ridgepoint/core/float_control.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>

#include <ridgepoint/core/parallel.hpp>

namespace rp = ridgepoint;

namespace {
/// Returns half the smallest normal number, as this thread computes it.
float half_the_smallest() {
  volatile float x = std::numeric_limits<float>::min();
  x = x * 0.5F;
  return x;
}
}  // namespace

TEST_CASE("subnormal numbers are flushed to zero inside the scope only") {
  const unsigned before = rp::float_control();
  REQUIRE(half_the_smallest() > 0);
  {
    const rp::flush_subnormals here;
    CHECK(half_the_smallest() == 0);
    const rp::flush_subnormals again;
    CHECK(half_the_smallest() == 0);
    const rp::flush_subnormals as_before(rp::subnormals::as_they_are);
    CHECK(half_the_smallest() == 0);
  }
  CHECK(half_the_smallest() > 0);
  const rp::flush_subnormals none(rp::subnormals::as_they_are);
  CHECK(half_the_smallest() > 0);
  CHECK((rp::float_control() & ~0x3FU) == (before & ~0x3FU));
}

TEST_CASE("helper threads use the caller's subnormal mode during the call only") {
  std::array<float, 64> flushed{}, kept{};
  const auto fill = [](std::array<float, 64>& all) {
    rp::parallel_for(4, 64, [&](rp::index_t part) {
      for (int i = 0; i < 20000; ++i) all[static_cast<std::size_t>(part)] = half_the_smallest();
    });
  };
  for (int round = 0; round < 3; ++round) {
    {
      const rp::flush_subnormals here;
      fill(flushed);
    }
    fill(kept);
    for (std::size_t i = 0; i < 64; ++i) {
      CHECK(flushed[i] == 0);
      CHECK(kept[i] > 0);
    }
  }
}

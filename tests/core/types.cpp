// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <limits>

#include <ridgepoint/core/types.hpp>

namespace rp = ridgepoint;

TEST_CASE("division and rounding round up") {
  static_assert(rp::ceil_div(0, 4) == 0 && rp::ceil_div(1, 4) == 1 && rp::ceil_div(4, 4) == 1 &&
                rp::ceil_div(5, 4) == 2);
  static_assert(rp::round_up(0, 4) == 0 && rp::round_up(1, 4) == 4 && rp::round_up(8, 4) == 8);
  static_assert(rp::checked_divisor("op: stride", 3) == 3);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::checked_divisor("op: stride", 0)), "op: stride is 0; must be > 0",
                       rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(rp::checked_divisor("op: stride", -1)), rp::value_error);
}

TEST_CASE("numbers are equal exactly; NaN equals nothing") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  static_assert(rp::exactly(0.5, 0.5) && rp::exactly(-0.0, 0) && !rp::exactly(0.5F, 0.25F) && !rp::exactly(nan, nan));
}

TEST_CASE("products and sums above 63 bits are refused") {
  constexpr rp::index_t most = std::numeric_limits<rp::index_t>::max();
  static_assert(rp::checked_mul(65'537, 65'536) == 4'295'032'832);  // wraps to 65,536 in 32 bits
  CHECK(rp::checked_mul(most, 1) == most);
  CHECK(rp::checked_mul(most, 0) == 0);
  CHECK(rp::checked_add(most - 1, 1) == most);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::checked_mul(rp::index_t{1} << 32, rp::index_t{1} << 31)),
                       "extent: 4294967296 * 2147483648 does not fit; must be < 2^63", rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::checked_mul(-1, 3)), "extent: -1 is negative; extents must be >= 0",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::checked_mul(3, -7)), doctest::Contains("-7 is negative"), rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::checked_add(most, 1)),
                       "extent: 9223372036854775807 + 1 does not fit; must be < 2^63", rp::shape_error);
}

TEST_CASE("500 hostile pairs of extents: the product is correct or refused") {
  constexpr rp::index_t awkward[] = {0,          1,          2,
                                     3,          255,        256,
                                     65'535,     65'536,     65'537,
                                     1 << 24,    0x7FFFFFFF, 0x80000000,
                                     0xFFFFFFFF, 1LL << 33,  1LL << 40,
                                     1LL << 61,  1LL << 62,  std::numeric_limits<rp::index_t>::max(),
                                     -1,         -65'536,    std::numeric_limits<rp::index_t>::min(),
                                     -2,         7};
  int tried = 0;
  for (const rp::index_t a : awkward)
    for (const rp::index_t b : awkward) {
      ++tried;
      const bool fits = a >= 0 && b >= 0 && (a == 0 || b <= std::numeric_limits<rp::index_t>::max() / a);
      if (fits) CHECK(rp::checked_mul(a, b) == a * b);
      else CHECK_THROWS_AS(static_cast<void>(rp::checked_mul(a, b)), rp::shape_error);
    }
  CHECK(tried > 500);
}

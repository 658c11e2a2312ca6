// SPDX-License-Identifier: MIT
#include <ridgepoint/core/float16.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "support/short_float.hpp"

namespace rp = ridgepoint;

namespace {

constexpr short_float half{5};
float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint16_t next(std::uint32_t bits) { return static_cast<std::uint16_t>(bits + 1); }

}  // namespace

TEST_CASE("float16: all 65536 patterns have the right value and survive a round trip through float") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const float x = static_cast<float>(rp::float16::from_bits(pattern));
    const double expected = half.value_of(pattern);
    if (std::isnan(expected)) {
      wrong += !std::isnan(x) || rp::float16(x).bits() != (pattern | 0x200);  // quiet, sign and payload kept
    } else {
      wrong += double{x} != expected || std::signbit(x) != (pattern >> 15 != 0) || rp::float16(x).bits() != pattern;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("float16: rounds to nearest, ties to even, around every pattern and across float") {
  int wrong = 0;
  const auto check = [&](float x) { wrong += rp::float16(x).bits() != half.nearest(x); };
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const double low = half.value_of(static_cast<std::uint16_t>(bits)),
                 high = bits == 0x7bff ? 65536 : half.value_of(next(bits));
    const auto tie = static_cast<float>((low + high) / 2);  // exact: has 12 bits
    for (const float x : {std::nextafter(tie, 0.0F), tie, std::nextafter(tie, 1e6F)}) check(x), check(-x);
  }
  for (std::uint64_t u = 0; u < 0x1'0000'0000u; u += 4099)  // a prime step: every low half occurs
    if (const float x = float_of(static_cast<std::uint32_t>(u)); !std::isnan(x)) check(x);
  CHECK(wrong == 0);
}

TEST_CASE("float16: ties, overflow, denormals, NaN") {
  CHECK(rp::float16(2049.0F).bits() == rp::float16(2048.0F).bits());  // down to even
  CHECK(rp::float16(2051.0F).bits() == rp::float16(2052.0F).bits());  // up to even
  CHECK(rp::float16(65519.996F).bits() == 0x7bff);                    // largest float that does not become infinite
  CHECK(rp::float16(65520.0F).bits() == 0x7c00);
  CHECK(rp::float16(-1e30F).bits() == 0xfc00);
  CHECK(rp::float16(0x1p-24F).bits() == 1);
  CHECK(rp::float16(0x1p-25F).bits() == 0);  // a tie with 0
  CHECK(rp::float16(std::nextafter(0x1p-25F, 1.0F)).bits() == 1);
  CHECK(rp::float16(0x1.ffep-15F).bits() == 0x0400);  // a denormal that becomes normal
  CHECK(rp::float16(std::numeric_limits<float>::denorm_min()).bits() == 0);
  CHECK(rp::float16(-0.0F).bits() == 0x8000);
  CHECK(rp::float16(float_of(0x7f80'0001)).bits() == 0x7e00);  // signalling, payload below the cut
  CHECK(rp::float16(-0.0F) == rp::float16(0.0F));
  const rp::float16 nan(std::numeric_limits<float>::quiet_NaN());
  CHECK_FALSE(nan == nan);
  static_assert(static_cast<float>(rp::float16(3.0F)) == 3.0F && rp::float16(3).bits() == 0x4200);
}

TEST_CASE("float16: a double is rounded once, not through float") {
  CHECK(rp::float16(2049.0).bits() == 0x6800);
  CHECK(rp::float16(2049.0 + 0x1p-40).bits() == 0x6801);  // not a tie, although the float is
  CHECK(rp::float16(0x1p-25 + 0x1p-60).bits() == 1);
  CHECK(rp::float16(-1e300).bits() == 0xfc00);
  CHECK(rp::float16(1e-300).bits() == 0);
  int wrong = 0;
  for (std::uint32_t bits = 1; bits < 0x7bff; ++bits) {  // around the ties of all positive neighbours
    const double tie = (half.value_of(static_cast<std::uint16_t>(bits)) + half.value_of(next(bits))) / 2;
    wrong += rp::float16(std::nextafter(tie, 0.0)).bits() != bits;
    wrong += rp::float16(tie).bits() != bits + bits % 2;
    wrong += rp::float16(std::nextafter(tie, 1e9)).bits() != bits + 1;
  }
  CHECK(wrong == 0);
}

// SPDX-License-Identifier: MIT
#include <ridgepoint/core/float16.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "support/short_float.hpp"

namespace rp = ridgepoint;

namespace {

constexpr short_float format{8};
double value_of(std::uint16_t bits) { return format.value_of(bits); }
bool agrees(float x) { return rp::bfloat16(x).bits() == format.nearest(x); }
float from_bits(std::uint32_t u) { return std::bit_cast<float>(u); }

}  // namespace

TEST_CASE("bfloat16: all 65536 patterns have the right value and survive a round trip through float") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const float x = static_cast<float>(rp::bfloat16::from_bits(pattern));
    const double expected = value_of(pattern);
    if (std::isnan(expected)) {
      wrong += !std::isnan(x) || rp::bfloat16(x).bits() != (pattern | 0x40);  // quiet, sign and payload kept
    } else {
      wrong += double{x} != expected || std::signbit(x) != (pattern >> 15 != 0) || rp::bfloat16(x).bits() != pattern;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("bfloat16: rounds to nearest, ties to even, around every pattern") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x7f80; ++bits)
    for (const std::uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      for (const std::uint32_t sign : {0u, 0x8000'0000u}) wrong += !agrees(from_bits(sign | bits << 16 | low));
  CHECK(wrong == 0);
}

TEST_CASE("bfloat16: a sweep over floats equals the reference") {
  int wrong = 0;
  for (std::uint64_t u = 0; u < 0x1'0000'0000u; u += 4099)  // a prime step: every low half occurs
    if (const float x = from_bits(static_cast<std::uint32_t>(u)); !std::isnan(x)) wrong += !agrees(x);
  CHECK(wrong == 0);
}

TEST_CASE("bfloat16: ties, overflow, denormals, NaN") {
  CHECK(rp::bfloat16(1.00390625f).bits() == 0x3f80);                        // 1 + 2⁻⁸: down to even
  CHECK(rp::bfloat16(1.01171875f).bits() == 0x3f82);                        // 1 + 3·2⁻⁸: up to even
  CHECK(rp::bfloat16(std::numeric_limits<float>::max()).bits() == 0x7f80);  // overflow
  CHECK(rp::bfloat16(from_bits(0x7f7f'7fff)).bits() == 0x7f7f);  // largest float below the overflow threshold
  CHECK(rp::bfloat16(from_bits(0x7f7f'8000)).bits() == 0x7f80);
  CHECK(rp::bfloat16(-std::numeric_limits<float>::infinity()).bits() == 0xff80);
  CHECK(rp::bfloat16(std::numeric_limits<float>::denorm_min()).bits() == 0);
  CHECK(rp::bfloat16(from_bits(0x0000'8001)).bits() == 1);  // above half of the least denormal
  CHECK(rp::bfloat16(-0.0f).bits() == 0x8000);
  CHECK(rp::bfloat16(from_bits(0x7f80'0001)).bits() == 0x7fc0);  // signalling, payload below the cut
  CHECK(rp::bfloat16(-0.0f) == rp::bfloat16(0.0f));
  const rp::bfloat16 nan(std::numeric_limits<float>::quiet_NaN());
  CHECK_FALSE(nan == nan);
  static_assert(static_cast<float>(rp::bfloat16(3.0f)) == 3.0f);
}

TEST_CASE("bfloat16: a double is rounded once, not through float") {
  CHECK(rp::bfloat16(1.00390625).bits() == 0x3f80);            // a tie, to even
  CHECK(rp::bfloat16(1.00390625 + 0x1p-40).bits() == 0x3f81);  // not a tie, although the float is
  CHECK(rp::bfloat16(1.01171875 - 0x1p-40).bits() == 0x3f81);
  CHECK(rp::bfloat16(-1.00390625 - 0x1p-40).bits() == 0xbf81);
  CHECK(rp::bfloat16(1e300).bits() == 0x7f80);
  CHECK(rp::bfloat16(-1e-300).bits() == 0x8000);
  CHECK(rp::bfloat16(3.39e38).bits() == 0x7f7f);  // below the last half step
  CHECK(std::isnan(static_cast<double>(rp::bfloat16(std::nan("")))));
  int wrong = 0;
  for (std::uint32_t bits = 1; bits < 0x7f7f; ++bits) {  // around the ties of all positive neighbours
    const double low = value_of(static_cast<std::uint16_t>(bits)),
                 high = value_of(static_cast<std::uint16_t>(bits + 1));
    const double tie = (low + high) / 2;
    wrong += rp::bfloat16(std::nextafter(tie, 0.0)).bits() != bits;
    wrong += rp::bfloat16(tie).bits() != bits + bits % 2;
    wrong += rp::bfloat16(std::nextafter(tie, 1e300)).bits() != bits + 1;
    wrong += static_cast<double>(rp::bfloat16(high)) != high;
  }
  CHECK(wrong == 0);
  static_assert(rp::bfloat16(3).bits() == 0x4040 && rp::bfloat16(-1).bits() == 0xbf80);
}

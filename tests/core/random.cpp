// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <ridgepoint/core/random.hpp>

namespace rp = ridgepoint;

using words = std::array<std::uint32_t, 4>;

TEST_CASE("Philox 4x32-10 matches the published answers") {  // Random123, kat_vectors
  CHECK(rp::philox4x32({0, 0, 0, 0}, 0) == words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(rp::philox4x32({~0U, ~0U, ~0U, ~0U}, ~0ULL) == words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(rp::philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822) ==
        words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  static_assert(rp::philox4x32({0, 0, 0, 0}, 0)[0] == 0x6627e8d5);
}

TEST_CASE("a stream is Philox over a counter: position, then stream, keyed by the seed") {
  static_assert(std::uniform_random_bit_generator<rp::random_stream>);
  rp::random_stream random(7, 0x500000003);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const words expected = rp::philox4x32({block, 0, 3, 5}, 7);
    for (const std::uint32_t word : expected) CHECK(random() == word);
  }
}

TEST_CASE("streams and seeds are independent") {
  rp::random_stream a(1), same(1), other_seed(2), other_stream(1, 1);
  int equal_seed = 0, equal_stream = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto value = a();
    CHECK(value == same());
    equal_seed += value == other_seed() ? 1 : 0;
    equal_stream += value == other_stream() ? 1 : 0;
  }
  CHECK(equal_seed + equal_stream == 0);
}

TEST_CASE("uniform values fill [0, 1) evenly and are exact in float") {
  constexpr int count = 1 << 18;
  rp::random_stream random(3);
  double sum = 0, square = 0;
  for (int i = 0; i < count; ++i) {
    const double u = random.uniform();
    CHECK_UNARY(u >= 0 && u < 1 && static_cast<double>(static_cast<float>(u)) == u);
    sum += u;
    square += u * u;
  }
  const double deviation = std::sqrt(1.0 / 12 / count);  // of the mean
  CHECK(std::abs(sum / count - 0.5) < 5 * deviation);
  CHECK(std::abs(square / count - 1.0 / 3) < 5 * deviation);
}

TEST_CASE("a range includes its bounds") {
  rp::random_stream random(4);
  for (int i = 0; i < 10'000; ++i) {
    const double u = random.uniform(-0.05, 0.05);
    CHECK_UNARY(u >= -0.05 && u < 0.05);
  }
  CHECK(random.uniform(2, 2) == 2);
}

TEST_CASE("integers below a bound all occur, evenly") {
  rp::random_stream random(5);
  for (const std::uint32_t bound : {1U, 2U, 3U, 10U, 1000U}) {
    std::vector<int> counts(bound);
    const int each = 400;
    for (std::uint32_t i = 0; i < each * bound; ++i) ++counts.at(random.below(bound));
    for (const int count : counts) CHECK_UNARY(std::abs(count - each) < 6 * 20);
  }
  CHECK_UNARY(random.below(0xFFFFFFFF) < 0xFFFFFFFF);
}

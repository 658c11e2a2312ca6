// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/simd/philox.hpp>

namespace rp = ridgepoint;
namespace simd = rp::simd;

TEST_CASE("philox in registers gives the words of the scalar version") {
  rp::random_stream random(3);
  for (int round = 0; round < 100; ++round) {
    const std::uint64_t key = (std::uint64_t{random()} << 32) | random();
    std::array<std::array<std::uint64_t, simd::counter_lanes>, 4> counter;
    for (auto& word : counter)
      for (auto& lane : word) lane = random() | (std::uint64_t{random()} << 32);  // high halves must not matter
    const auto words =
        simd::philox({__builtin_bit_cast(simd::counters, counter[0]), __builtin_bit_cast(simd::counters, counter[1]),
                      __builtin_bit_cast(simd::counters, counter[2]), __builtin_bit_cast(simd::counters, counter[3])},
                     key);
    for (std::size_t lane = 0; lane < simd::counter_lanes; ++lane) {
      std::array<std::uint32_t, 4> scalar{};
      for (std::size_t w = 0; w < 4; ++w) scalar[w] = static_cast<std::uint32_t>(counter[w][lane]);
      const auto want = rp::philox4x32(scalar, key);
      for (std::size_t w = 0; w < 4; ++w) {
        const auto got = __builtin_bit_cast(std::array<std::uint64_t, simd::counter_lanes>, words[w]);
        CHECK(static_cast<std::uint32_t>(got[lane]) == want[w]);
      }
    }
  }
}

TEST_CASE("philox4x32 gives the published answers") {
  CHECK(rp::philox4x32({0, 0, 0, 0}, 0) ==
        std::array<std::uint32_t, 4>{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8});
  CHECK(rp::philox4x32({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, 0xFFFFFFFFFFFFFFFF) ==
        std::array<std::uint32_t, 4>{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD});
  CHECK(rp::philox4x32({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, 0x299F31D0A4093822) ==
        std::array<std::uint32_t, 4>{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1});
}

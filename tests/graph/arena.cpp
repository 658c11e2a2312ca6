// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/graph/arena.hpp>

namespace rp = ridgepoint;

namespace {
/// No byte belongs to two intervals that live at the same time, and nothing lies outside the arena.
bool is_sound(const std::vector<rp::interval>& lives, const rp::arrangement& a) {
  for (std::size_t i = 0; i < lives.size(); ++i) {
    if (a.offsets[i] % rp::alignment_bytes != 0 || a.offsets[i] + lives[i].bytes > a.bytes) return false;
    for (std::size_t j = 0; j < i; ++j) {
      const bool apart = a.offsets[i] + lives[i].bytes <= a.offsets[j] || a.offsets[j] + lives[j].bytes <= a.offsets[i];
      if (lives[i].overlaps(lives[j]) && !apart && lives[i].bytes > 0 && lives[j].bytes > 0) return false;
    }
  }
  return true;
}
}  // namespace

TEST_CASE("intervals that live together never share memory") {
  rp::random_stream random(1);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<rp::interval> lives(1 + random.below(40));
    std::size_t sum = 0;
    for (auto& life : lives) {
      life.first = static_cast<int>(random.below(30));
      life.last = life.first + static_cast<int>(random.below(10));
      life.bytes = random.below(1000);
      sum += (life.bytes + 63) / 64 * 64;
    }
    const rp::arrangement a = rp::arrange(lives);
    REQUIRE(is_sound(lives, a));
    CHECK(a.bytes <= sum);
  }
}

TEST_CASE("a chain needs the memory of its two largest neighbours, not of all") {
  std::vector<rp::interval> chain;
  for (int i = 0; i < 20; ++i) chain.push_back({i, i + 1, 640});
  const rp::arrangement a = rp::arrange(chain);
  CHECK(is_sound(chain, a));
  CHECK(a.bytes == 2 * 640);
}

TEST_CASE("nothing needs nothing") { CHECK(rp::arrange({}).bytes == 0); }

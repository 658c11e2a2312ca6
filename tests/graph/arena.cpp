// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdlib>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/graph/plan_builder.hpp>

namespace rp = ridgepoint;

namespace {
/// Returns true if no byte is shared by overlapping intervals, and all are inside the arena.
bool is_sound(const std::vector<rp::interval>& lives, const rp::arrangement& a) {
  for (std::size_t i = 0; i < lives.size(); ++i) {
    if (a.offsets[i] % rp::alignment_bytes != 0 || a.offsets[i] + lives[i].bytes > a.bytes) return false;
    for (std::size_t j = 0; j < i; ++j) {
      const bool clear = a.offsets[i] + lives[i].bytes <= a.offsets[j] || a.offsets[j] + lives[j].bytes <= a.offsets[i];
      if (lives[i].overlaps(lives[j]) && !clear && lives[i].bytes > 0 && lives[j].bytes > 0) return false;
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

TEST_CASE("a network that narrows and widens, or widens and narrows, needs its two largest neighbours") {
  for (const bool waist : {true, false}) {
    std::vector<rp::interval> chain;
    for (int i = 0; i <= 20; ++i)
      chain.push_back({i, i + 1, 64 * static_cast<std::size_t>(waist ? 3 + std::abs(i - 10) : 13 - std::abs(i - 10))});
    const rp::arrangement a = rp::arrange(chain);
    CHECK(is_sound(chain, a));
    CHECK(a.bytes == 64 * (13 + 12));
  }
}

TEST_CASE("a training step of 200,000 layers is arranged: every activation lives until its layer's backward pass") {
  constexpr int layers = 200'000;  // as pairs, 2·10¹⁰ of them
  rp::random_stream random(2);
  std::vector<rp::interval> lives;
  std::size_t sum = 0;
  for (int i = 0; i < layers; ++i) {
    lives.push_back({i, 2 * layers - i, 64 * std::size_t{1 + random.below(100)}});
    sum += lives.back().bytes;
  }
  for (int i = 0; i < layers; ++i) lives.push_back({layers + 1 + i, layers + 2 + i, 64});
  CHECK(rp::arrange(lives).bytes == sum + 64);  // all activations are live at the first gradient
}

TEST_CASE("no intervals need no memory") { CHECK(rp::arrange({}).bytes == 0); }

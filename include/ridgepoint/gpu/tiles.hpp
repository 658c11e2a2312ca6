// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/gpu/software.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

/// C(m×n) = A(m×k)·B(k×n): `count` of them at once, and that `turns` times, each turn waiting for the one before.
struct product {
  index_t m = 0, n = 0, k = 0;
  index_t count = 1, turns = 1;
  friend bool operator==(const product&, const product&) = default;
};

/// A part of C that one multiprocessor computes at a time.
struct tile {
  index_t m = 0, n = 0;

  /// Of a multiprocessor's rate, against the largest tile: i / (i + 32) with i = m·n / (m + n), the multiply-adds for
  /// each value loaded. A tile of 128 × 128 has 92 % of the rate of 256 × 128, one of 64 × 64 has 69 %, one of 32 × 32
  /// 46 %.
  [[nodiscard]] constexpr double share() const noexcept { return saturation(m, n) / saturation(256, 128); }
  friend bool operator==(const tile&, const tile&) = default;

 private:
  [[nodiscard]] static constexpr double saturation(index_t m, index_t n) noexcept {
    const double i = static_cast<double>(m * n) / static_cast<double>(m + n);
    return i / (i + 32);
  }
};

/// How a library lays a product out, and what the multiprocessors take for it.
struct tiling {
  tile each = {};
  index_t split = 1;                   // parts of k, whose sums are added up afterwards
  index_t blocks = 0;                  // tiles · split · count
  index_t waves = 0;                   // ⌈blocks / multiprocessors⌉
  double product_s = 0, reduce_s = 0;  // of one turn

  [[nodiscard]] constexpr double total_s() const noexcept { return product_s + reduce_s; }
};

/// The tiles and parts of k that take least. Tiles are dealt to the multiprocessors in waves; the last wave takes as
/// long as a full one, and a tile that overhangs C as long as one that does not:
///
///   waves · (⌈k / split⌉₃₂ + 64) · 2·m·n of the tile / (peak / multiprocessors · product_share · share of the tile)
///
/// with k in steps of 32 and two of them before the first product (the prologue). Parts of k are written and read once
/// more in fp32. Throws: value_error for a chip without multiprocessors.
[[nodiscard]] inline tiling best_tiling(const platform& p, const product& g) {
  constexpr std::array<tile, 9> tiles{
      {{256, 128}, {128, 256}, {128, 128}, {128, 64}, {64, 128}, {64, 64}, {64, 32}, {32, 64}, {32, 32}}};
  constexpr index_t step = 32, prologue = 2 * step, most_parts = 64;
  const index_t multiprocessors = checked_divisor("gpu: multiprocessors", p.on.multiprocessors);
  const double rate = p.on.peak_flop_per_s(p.in) * p.on.fit.product_share / static_cast<double>(multiprocessors);
  const double sums = static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.count);
  tiling best;
  for (const tile& t : tiles)
    for (index_t split = 1; split <= (std::min)(most_parts, ceil_div(g.k, 4 * step)); split *= 2) {
      tiling now{.each = t, .split = split};
      now.blocks = ceil_div(g.m, t.m) * ceil_div(g.n, t.n) * g.count * split;
      now.waves = ceil_div(now.blocks, multiprocessors);
      const index_t depth = round_up(ceil_div(g.k, split), step) + prologue;
      now.product_s = static_cast<double>(now.waves * depth) * 2 * static_cast<double>(t.m * t.n) / (rate * t.share());
      now.reduce_s = split > 1 ? 8 * static_cast<double>(split) * sums / p.on.stream_bytes_per_s() : 0;
      if (best.waves == 0 || now.total_s() < best.total_s()) best = now;
    }
  return best;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::gpu

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/gpu/software.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

/// C(m×n) = A(m×k)·B(k×n): `count` products in parallel, repeated `turns` times in sequence.
struct product {
  index_t m = 0, n = 0, k = 0;
  index_t count = 1, turns = 1;
  friend bool operator==(const product&, const product&) = default;
};

/// The part of C that one multiprocessor computes at a time.
struct tile {
  index_t m = 0, n = 0;

  /// Returns the fraction of a multiprocessor's rate relative to the largest tile: i / (i + 32) with i = m·n / (m + n),
  /// the multiply-adds per value loaded. A tile of 128 × 128 has 92 % of the rate of 256 × 128, one of 64 × 64 has
  /// 69 %, one of 32 × 32 46 %.
  [[nodiscard]] constexpr double share() const noexcept { return saturation(m, n) / saturation(256, 128); }
  friend bool operator==(const tile&, const tile&) = default;

 private:
  [[nodiscard]] static constexpr double saturation(index_t m, index_t n) noexcept {
    const double i = static_cast<double>(m * n) / static_cast<double>(m + n);
    return i / (i + 32);
  }
};

/// A library's tiling of a product, and the multiprocessors' time for it.
struct tiling {
  tile each = {};
  index_t split = 1;                   // parts of k, whose sums are added afterwards
  index_t blocks = 0;                  // tiles · split · count
  index_t waves = 0;                   // ⌈blocks / multiprocessors⌉
  double product_s = 0, reduce_s = 0;  // of one turn

  [[nodiscard]] constexpr double total_s() const noexcept { return product_s + reduce_s; }
};

/// Returns the fastest tile size and number of parts of k. Tiles are assigned to the multiprocessors in waves; the last
/// wave takes as long as a full one, and a tile that overhangs C as long as any other:
///
///   waves · (⌈k / split⌉₃₂ + 64) · 2·m·n of the tile / (peak / multiprocessors · product_share · share of the tile)
///
/// with k in steps of 32, plus two steps before the first product (the prologue). Parts of k are written and read once
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

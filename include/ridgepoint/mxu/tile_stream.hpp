// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/mxu/array_counters.hpp>
#include <ridgepoint/mxu/array_options.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// The tiles one array works through: `tiles` of `rows` streamed rows each, then `last_tiles` of `last_rows` ≤ rows.
/// Requires: tiles ≥ 1, and the times must fit 62 bits (count_cycles() has checked that).
struct tile_stream {
  std::uint64_t tiles = 0, rows = 0;
  std::uint64_t last_tiles = 0, last_rows = 0;
  std::uint64_t fetch_cycles = 0, fifo_depth = 1;
};

namespace detail {

/// Adds `times` tiles that each start `period` cycles after their predecessor, which streams `rows` rows.
constexpr void add_tiles(array_counters& c, std::uint64_t times, std::uint64_t period, std::uint64_t rows,
                         std::uint64_t array_rows) noexcept {
  const std::uint64_t gap = period - rows, shift = (std::min)(gap, array_rows);
  c.cycles += times * period;
  c.shift += times * shift;
  c.stall += times * (gap - shift);
}

}  // namespace detail

/// Times of a weight-stationary tile stream on one R×C array, in a fixed number of steps whatever the number of tiles.
///
/// With F fetch cycles, D FIFO slots and M(i) rows of tile i, the array obeys (docs/tpu.md derives it)
///   ready(i) = max(ready(i−1), load(i−D)) + F      load(i) = max(ready(i), start(i−1))
///   start(i) = max(load(i) + R, start(i−1) + M(i−1))
/// For equal tiles start(i) = F + R + i·P, P = max(M, R, F). When rows get fewer after tile n₀, with P₁ = max(M₁, R),
///   start(n₀+q) = start(n₀) + max(q·P₁, q·F + e)   e = max(n₀·(F − P), R − D·F), only if F > P₁:
/// the FIFO, filled while long tiles ran, drains at P₁ per tile until the memory port is the limit again.
[[nodiscard]] constexpr array_counters count_stream(const array_shape& array, const tile_stream& s) noexcept {
  const auto R = static_cast<std::uint64_t>(array.rows), C = static_cast<std::uint64_t>(array.cols);
  const std::uint64_t F = s.fetch_cycles, period = (std::max)({s.rows, R, F});
  array_counters c;
  c.tiles = s.tiles + s.last_tiles;
  detail::add_tiles(c, 1, F + R, 0, R);                                    // the first tile: nothing to hide it
  detail::add_tiles(c, s.tiles - (s.last_tiles == 0), period, s.rows, R);  // starts 1 … n₀
  if (s.last_tiles > 1) {
    const std::uint64_t more = s.last_tiles - 1, fast = (std::max)(s.last_rows, R);
    if (F <= fast) {
      detail::add_tiles(c, more, fast, s.last_rows, R);
    } else {
      const std::uint64_t depth = (std::min)(s.fifo_depth, c.tiles);  // more slots than tiles change nothing
      const std::uint64_t behind = (std::min)(s.tiles * (period - F), depth * F - R);  // −e: lead of the FIFO in cycles
      const std::uint64_t drained = behind / (F - fast);                               // tiles that the lead covers
      detail::add_tiles(c, (std::min)(drained, more), fast, s.last_rows, R);
      if (more > drained) {
        const std::uint64_t left_over = behind - drained * (F - fast);
        detail::add_tiles(c, 1, F - left_over, s.last_rows, R);
        detail::add_tiles(c, more - drained - 1, F, s.last_rows, R);
      }
    }
  }
  c.active = s.tiles * s.rows + s.last_tiles * s.last_rows;
  c.drain = R + C - 2;
  c.cycles += (s.last_tiles != 0 ? s.last_rows : s.rows) + c.drain;
  return c;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

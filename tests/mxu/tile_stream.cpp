// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/tile_schedule.hpp>

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace rp = ridgepoint;
using namespace rp::systolic;

namespace {

/// The recurrence of docs/tpu.md, tile by tile.
array_counters recurrence(const array_shape& array, const tile_stream& s) {
  const auto R = static_cast<std::uint64_t>(array.rows), C = static_cast<std::uint64_t>(array.cols);
  const std::uint64_t n = s.tiles + s.last_tiles;
  std::vector<std::uint64_t> load(n);
  array_counters c{.drain = R + C - 2, .tiles = n};
  std::uint64_t ready = 0, start = 0, rows_before = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t entered = i == 0 ? 0 : start + rows_before;  // the previous tile has entered completely
    ready = std::max(ready, i < s.fifo_depth ? 0 : load[i - s.fifo_depth]) + s.fetch_cycles;
    load[i] = std::max(ready, start);
    start = std::max(load[i] + R, entered);
    const std::uint64_t gap = start - entered, shift = std::min(gap, R);
    c.shift += shift, c.stall += gap - shift;
    rows_before = i < s.tiles ? s.rows : s.last_rows;
    c.active += rows_before;
  }
  c.cycles = start + rows_before + c.drain;
  return c;
}

}  // namespace

TEST_CASE("closed form of a tile stream equals the recurrence, tile by tile") {
  std::mt19937 random(1);
  const auto draw = [&](std::uint64_t from, std::uint64_t to) {
    return std::uniform_int_distribution<std::uint64_t>(from, to)(random);
  };
  int differences = 0, late = 0;
  for (int i = 0; i < 200'000; ++i) {
    const array_shape array{static_cast<rp::index_t>(draw(1, 32)), static_cast<rp::index_t>(draw(1, 32))};
    tile_stream s{.tiles = draw(1, 40), .rows = draw(1, 80)};
    if (draw(0, 2) != 0) s.last_tiles = draw(1, 60), s.last_rows = draw(1, s.rows);
    s.fetch_cycles = draw(0, 3) == 0 ? 0 : draw(0, 100);
    s.fifo_depth = draw(1, 8);
    differences += count_stream(array, s) != recurrence(array, s);
    late += s.last_tiles > 1 && s.fetch_cycles > std::max(s.last_rows, static_cast<std::uint64_t>(array.rows)) &&
            s.rows > s.fetch_cycles;  // the FIFO fills, then drains
  }
  CHECK(differences == 0);
  CHECK(late > 10'000);
}

TEST_CASE("closed form of equal tiles: F + R + (n-1)·max(M, R, F) + M + R + C - 2") {
  CHECK(count_stream({128, 128}, {.tiles = 64, .rows = 2048}).cycles == 131'454);
  CHECK(count_stream({128, 128}, {.tiles = 64, .rows = 128}).cycles == 8'574);
  for (const std::uint64_t m : {1u, 100u, 256u, 1349u, 3000u})
    CHECK(count_stream({256, 256}, {.tiles = 1000, .rows = m, .fetch_cycles = 1349, .fifo_depth = 4}).cycles ==
          1349 + 256 + 999 * std::max<std::uint64_t>(m, 1349) + m + 510);
}

TEST_CASE("steady state of TPU v1: stall F - M - R, shift R while memory is the limit") {
  const auto per_tile = [](std::uint64_t m, std::uint64_t tiles) {
    const array_counters a =
        count_stream({256, 256}, {.tiles = tiles, .rows = m, .fetch_cycles = 1349, .fifo_depth = 4});
    const array_counters b =
        count_stream({256, 256}, {.tiles = tiles + 1, .rows = m, .fetch_cycles = 1349, .fifo_depth = 4});
    return std::vector{b.active - a.active, b.stall - a.stall, b.shift - a.shift};
  };
  CHECK(per_tile(200, 50) == std::vector<std::uint64_t>{200, 1349 - 200 - 256, 256});
  CHECK(per_tile(1200, 50) == std::vector<std::uint64_t>{1200, 0, 149});
  CHECK(per_tile(1400, 50) == std::vector<std::uint64_t>{1400, 0, 0});
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/kernels/gemm/tile_shape.hpp>

namespace rp = ridgepoint;
using namespace rp::kernels;
using rp::index_t;

TEST_CASE("runs of equal tiles cover all rows; their heights differ by one row at most") {
  for (index_t height = 1; height < 200; ++height)
    for (index_t most = 1; most <= 14; ++most) {
      const tile_split split = tile_split::of(height, most);
      index_t end = 0, tiles = 0, runs = 0;
      for (const auto [first, rows, count] : split.runs()) {
        CHECK(first == end);
        CHECK((rows >= 1 && rows <= most && count >= 1));
        CHECK(rows == split.rows - runs++);
        end += rows * count, tiles += count;
      }
      CHECK(end == height);
      CHECK(end == split.height());
      CHECK(tiles == rp::ceil_div(height, most));
      CHECK(runs <= 2);
      end = tiles = 0;
      for (const auto [first, rows, count] : split.one_by_one()) {
        CHECK(first == end);
        CHECK(rows == (tiles < split.tall ? split.rows : split.rows - 1));
        CHECK(count == 1);
        end += rows, ++tiles;
      }
      CHECK(end == height);
      CHECK(tiles == split.tiles);
    }
}

TEST_CASE("panels cover all columns, and no vector reaches beyond them") {
  for (const index_t lanes : {1, 2, 4, 8, 16})
    for (int nv = 2; nv <= most_vectors; ++nv)
      for (index_t n = 1; n < 8 * nv * lanes; ++n) {
        index_t end = 0;
        for (const auto& [first, count, vectors, last_at, last] : column_panels(n, nv, lanes)) {
          CHECK(first == end);
          CHECK((vectors >= 1 && vectors <= nv));
          CHECK((last == lanes || (last == n && n < lanes)));
          const index_t width = last_at + last;
          CHECK((last_at >= 0 && last_at <= (vectors - 1) * lanes && width > (vectors - 1) * lanes));
          CHECK((count == 1 || width == vectors * lanes));
          end += count * width;
        }
        CHECK(end == n);
      }
}

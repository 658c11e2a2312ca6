// SPDX-License-Identifier: MIT
#include <ridgepoint/gpu/products.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/gpu/platform.hpp>

#include "support/near.hpp"

namespace gpu = ridgepoint::gpu;
using ridgepoint::index_t;

namespace {

/// Chip of 10 multiprocessors, each with 10¹² FLOP/s of 16-bit products, without losses.
gpu::platform ten_multiprocessors() {
  return {.on = {.name = "ten",
                 .description = {},
                 .machine = {},
                 .multiprocessors = 10,
                 .f32_flop_per_s = 1e12,
                 .f16_flop_per_s = 10e12,
                 .memory_bytes_per_s = 1e12},
          .with = {},
          .in = gpu::number_format::f16};
}

}  // namespace

TEST_CASE("gpu tiles: a product of full waves takes the time of its multiply-adds, and the prologue") {
  const gpu::platform p = ten_multiprocessors();
  const gpu::tiling t = best_tiling(p, {.m = 10 * 256, .n = 128, .k = 4096});
  CHECK(t.each == gpu::tile{256, 128});
  CHECK(t.split == 1);
  CHECK(t.blocks == 10);
  CHECK(t.waves == 1);
  CHECK(t.reduce_s == 0);
  CHECK(t.product_s == near(2.0 * 256 * 128 * (4096 + 64) / 1e12));
  gpu::platform none = p;
  none.on.multiprocessors = 0;
  CHECK_THROWS_WITH_AS(static_cast<void>(best_tiling(none, {.m = 1, .n = 1, .k = 1})),
                       "gpu: multiprocessors is 0; must be > 0", ridgepoint::value_error);
}

TEST_CASE("gpu tiles: a partial tile costs as much as a full one, and a partial wave as much as a full one") {
  const gpu::platform p = ten_multiprocessors();
  const auto time = [&](index_t m, index_t n) { return best_tiling(p, {.m = m, .n = n, .k = 64}).product_s; };
  CHECK(time(1, 1) == time(32, 32));
  CHECK(time(32, 32 * 10) == time(32, 32));  // ten tiles, one per multiprocessor
  CHECK(time(32, 32 * 11) > 1.2 * time(32, 32));
}

TEST_CASE("gpu tiles: a small C over a long k is split, and its parts are summed") {
  const gpu::platform p = ten_multiprocessors();
  const gpu::tiling t = best_tiling(p, {.m = 64, .n = 64, .k = 65536});
  CHECK(t.split > 1);
  CHECK(t.blocks > 1);
  CHECK(t.reduce_s == near(8.0 * static_cast<double>(t.split) * 64 * 64 / 1e12));
  const double alone = 2.0 * 64 * 64 * (65536 + 64) / (1e12 * gpu::tile{64, 64}.share());
  CHECK(t.total_s() < alone / 3);
}

TEST_CASE("gpu tiles: larger tiles reach a larger share of the rate") {
  CHECK(gpu::tile{256, 128}.share() == near(1));
  CHECK(gpu::tile{128, 128}.share() == near(0.917, 1e-3));
  CHECK(gpu::tile{64, 64}.share() == near(0.6875, 1e-3));
  CHECK(gpu::tile{32, 32}.share() == near(0.458, 1e-3));
}

TEST_CASE("gpu tiles: more work never takes less time, and nothing exceeds the peak") {
  const gpu::platform p{gpu::find_chip("v100"), gpu::find_software("tensorflow"), gpu::number_format::f16};
  for (const index_t n : {1, 33, 128, 1000, 4096})
    for (const index_t k : {1, 64, 1000, 8192}) {
      double before = 0;
      for (index_t m = 1; m <= 16384; m *= 2) {
        const gpu::tiling t = best_tiling(p, {.m = m, .n = n, .k = k});
        CHECK(t.total_s() >= before * (1 - 1e-12));
        CHECK(t.product_s * 125e12 >= 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k));
        CHECK(t.waves * p.on.multiprocessors >= t.blocks);
        before = t.total_s();
      }
    }
  const gpu::product one{.m = 128, .n = 128, .k = 128};
  gpu::product many = one;
  many.count = 80;  // one each
  CHECK(best_tiling(p, many).product_s <= 1.01 * best_tiling(p, {.m = 128, .n = 128 * 80, .k = 128}).product_s);
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>

namespace rp = ridgepoint;
using namespace rp::kernels;
using rp::index_t;

namespace {
constexpr index_t mr = gemm_tile_shape::rows, nr = gemm_tile_shape::vectors * rp::simd::lanes<float>;
constexpr gemm_plan plan(index_t m, index_t n, index_t k) { return plan_gemm<float>(m, n, k, {k, 1}, {n, 1}); }
}  // namespace

TEST_CASE("the family follows from the shape") {
  static_assert(plan(0, 5, 5).family == gemm_family::nothing);
  static_assert(plan(5, 5, 0).family == gemm_family::scale);
  static_assert(plan(1, 4096, 1024).family == gemm_family::vector);
  static_assert(plan(1024, 1, 1024).family == gemm_family::dot);
  static_assert(plan(512, 512, 512).family == gemm_family::tiles);
  CHECK(plan_gemm<float>(64, 1, 64, {1, 64}, {1, 1}).family ==
        gemm_family::tiles);  // A transposed: nothing to run dots along
}

TEST_CASE("blocks fit the caches they are meant for, and cover the problem") {
  rp::random_stream random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto extent = [&] { return static_cast<index_t>(1 + random.below(random.below(2) == 0 ? 64 : 5000)); };
    const index_t m = extent(), n = extent(), k = extent();
    const gemm_caches caches{.l1 = 16384 << random.below(3), .l2 = 262144 << random.below(3), .l3 = 1 << 23};
    const gemm_plan p = plan_tiles<float>(m, n, k, {k, 1}, {n, 1}, caches);
    CHECK(p.kc >= 1);
    CHECK(p.kc <= k);
    CHECK((p.kc <= 64 || p.kc * mr * 4 <= caches.l1 / 2));
    CHECK((p.mc == m || p.mc % mr == 0));
    CHECK((p.nc == n || p.nc % nr == 0));
    CHECK((p.mc == m || p.mc == mr || p.mc * p.kc * 4 <= caches.l2 / 2));
    const index_t parts = rp::ceil_div(k, p.kc);
    CHECK(k - (parts - 1) * p.kc > p.kc / 2 - parts);          // no sliver at the end
  }
}

TEST_CASE("how k is cut does not depend on m, n or the strides, so threads can not change the bits") {
  for (const index_t k : {1, 100, 257, 1024, 5000})
    for (const index_t m : {2, 17, 3000})
      CHECK(plan_tiles<float>(m, 100, k, {k, 1}, {100, 1}).kc == plan_tiles<float>(7, 33, k, {1, 7}, {1, k}).kc);
}

TEST_CASE("the grid uses the threads it is given when there is work for them") {
  CHECK(plan_grid<float>(8, 8, 8, 4).rows * plan_grid<float>(8, 8, 8, 4).cols == 1);
  for (index_t threads = 1; threads <= 16; ++threads) {
    const gemm_grid g = plan_grid<float>(2048, 2048, 2048, threads);
    CHECK(g.rows * g.cols <= threads);
    CHECK(2 * g.rows * g.cols > threads);
  }
  CHECK(plan_grid<float>(128, 4096, 512, 2).cols == 2);        // tall and wide problems are cut along their long side
  CHECK(plan_grid<float>(12544, 64, 147, 2).rows == 2);
}

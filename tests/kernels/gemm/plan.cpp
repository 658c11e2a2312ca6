// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/kernels/native_unit.hpp>

namespace rp = ridgepoint;
using namespace rp::kernels;
using rp::index_t;

namespace {
/// Vector units of all instruction sets.
constexpr auto all_units = []<class... Isa>(rp::isa::list<Isa...>) {
  return std::array{unit_of<Isa>...};
}(rp::isa::all{});
constexpr gemm_plan plan(index_t m, index_t n, index_t k) {
  return plan_gemm<float>(native_unit, m, n, k, {k, 1}, {n, 1});
}
}  // namespace

TEST_CASE("the family follows from the shape") {
  static_assert(plan(0, 5, 5).family == gemm_family::nothing);
  static_assert(plan(5, 5, 0).family == gemm_family::scale);
  static_assert(plan(1, 4096, 1024).family == gemm_family::vector);
  static_assert(rp::simd::lanes<float> == 1 || plan(1024, 1, 1024).family == gemm_family::dot);
  static_assert(plan(1024, 1024, 1024).family == gemm_family::packed);
  static_assert(plan(3, 1000, 1000).family == gemm_family::in_place);
  static_assert(plan(8, 2000, 3).family == gemm_family::outer);
  static_assert(plan(4, 4, 4).family != gemm_family::packed);
  static_assert(plan(2, 2, 2).family == gemm_family::element);
  static_assert(plan(64, 64, index_t{1} << 51).family != gemm_family::element);
  CHECK(plan_gemm<float>(native_unit, 8, 2000, 3, {3, 1}, {2000, 1}, {}, gemm_result::finished).family !=
        gemm_family::outer);  // writes C only
  CHECK(plan_gemm<float>(native_unit, 64, 1, 64, {1, 64}, {1, 1}).family !=
        gemm_family::dot);  // A transposed: no contiguous dimension for dots
  CHECK(plan_gemm<float>(native_unit, 640, 640, 640, {640, 1}, {1, 640}).family ==
        gemm_family::packed);  // B stored by columns
  CHECK((rp::simd::lanes<float> == 1 || plan_gemm<float>(native_unit, 9, 300, 20, {20, 1}, {1, 20}).turn_b));
}

TEST_CASE("blocks fit their caches, tiles fit the registers, and both cover the problem") {
  rp::random_stream random(3);
  for (int i = 0; i < 6000; ++i) {
    const vector_unit unit = all_units[random.below(all_units.size())];
    const index_t mr = tile_rows(unit), nr = panel_width<float>(unit);
    const auto extent = [&] { return static_cast<index_t>(1 + random.below(random.below(2) == 0 ? 64 : 5000)); };
    const index_t m = extent(), n = extent(), k = extent();
    const gemm_caches caches{.l1 = 16384 << random.below(3), .l2 = 262144 << random.below(3)};
    const gemm_plan p = plan_packed<float>(unit, m, n, k, {k, 1}, {n, 1}, caches);
    CHECK(p.kc >= 1);
    CHECK(p.kc <= k);
    CHECK((p.mc == m || p.mc % mr == 0));
    CHECK((p.nc == n || p.nc % nr == 0));
    CHECK((p.nc == n || p.nc == nr || p.nc * p.kc * 4 <= caches.l2));
    const gemm_caches shared{.l1 = caches.l1, .l2 = caches.l2, .panels = 8 * caches.l2};
    const gemm_plan wide = plan_packed<float>(unit, m, n, k, {k, 1}, {n, 1}, shared);
    CHECK(wide.nc >= p.nc);
    CHECK(wide.nc * wide.kc * 4 <= std::max(shared.panels + shared.panels / 3, nr * wide.kc * 4));
    CHECK((wide.kc == p.kc && wide.mc == p.mc));  // the same order of summation
    CHECK((p.mc == m || p.mc == mr || p.mc * p.kc * 4 <= caches.l2 / 2));
    const index_t parts = rp::ceil_div(k, p.kc);
    CHECK(k - (parts - 1) * p.kc > p.kc / 2 - parts);  // no short remainder at the end
    for (const gemm_plan& q : {plan_in_place<float>(unit, m, n, k, {n, 1}, caches),
                               plan_small<float>(unit, m, n, k, gemm_result::finished)}) {
      CHECK(q.mr >= 1);
      CHECK(tile_fits(unit, static_cast<int>(q.mr), q.nv, q.slices));
      CHECK((q.nv >= 2 || n <= unit.lanes<float>()));
      CHECK((q.slices == 1 || q.nv <= 2));
      CHECK(q.kc >= 1);
      CHECK(q.kc <= k);
    }
  }
}

TEST_CASE("a wider or taller problem is never predicted to be faster in the same family") {
  for (const index_t size : {20, 100, 500, 2000}) {
    for (const vector_unit unit : all_units) {
      const auto packed = [&](index_t m, index_t n, index_t k) {
        return plan_packed<float>(unit, m, n, k, {k, 1}, {n, 1}).cycles;
      };
      CHECK(packed(size, size, size) > 0);
      CHECK(packed(2 * size, size, size) > packed(size, size, size));
      CHECK(packed(size, 2 * size, size) > packed(size, size, size));
      CHECK(packed(size, size, 2 * size) > packed(size, size, size));
    }
  }
}

TEST_CASE("the grid uses the given threads if there is enough work") {
  CHECK(plan_grid<float>(native_unit, 8, 8, 8, 4).rows * plan_grid<float>(native_unit, 8, 8, 8, 4).cols == 1);
  for (index_t threads = 1; threads <= 16; ++threads) {
    const gemm_grid g = plan_grid<float>(native_unit, 2048, 2048, 2048, threads);
    CHECK(g.rows * g.cols <= threads);
    CHECK(2 * g.rows * g.cols > threads);
  }
  CHECK(plan_grid<float>(native_unit, 128, 4096, 512, 2).cols ==
        2);  // tall and wide problems are split along their long side
  CHECK(plan_grid<float>(native_unit, 12544, 64, 147, 2).rows == 2);
}

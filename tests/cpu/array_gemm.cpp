// SPDX-License-Identifier: MIT
// Checks the blocked array product against its definition: the same bits for any shape, thread count and compiler.
#include <ridgepoint/cpu/array_gemm.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/cpu/native_cpu.hpp>
#include <ridgepoint/ops/run.hpp>
#include <ridgepoint/reference/gemm.hpp>

#include "support/cpu_copies.hpp"
#include "support/guarded.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {

constexpr index_t tile_rows = rp::kernels::tile_rows(rp::kernels::native_unit),
                  tile_columns = rp::kernels::panel_width<float>(rp::kernels::native_unit);

/// Values that show every rounding: products that overflow, underflow or cancel, bf16 ties, zeros of both signs.
float any_float(rp::random_stream& random) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float odd[] = {0.0F, -0.0F, 1e30F, -1e30F, 1e-30F, -3e-25F, 1e-40F, 1.01171875F, 1.00390625F, 3.4e38F};
  if (random.below(400) == 0) return random.below(3) == 0 ? nan : random.below(2) == 0 ? inf : -inf;
  if (random.below(12) == 0) return odd[random.below(10)];
  return static_cast<float>(random.uniform(-2, 2));
}
template <class E>
E any_value(rp::random_stream& random) {
  if constexpr (std::same_as<E, float>) return any_float(random);
  else return static_cast<E>(static_cast<int>(random.below(256)) - 128);
}

/// Returns whether bits are equal. Any two NaNs are equal: IEEE 754 leaves open which NaN a sum of two returns.
template <class S>
bool same(S x, S y) {
  return std::memcmp(&x, &y, sizeof x) == 0 || (x != x && y != y);
}

template <class Format>
struct problem {
  index_t m, n, k, depth;
  bool a_turned, b_turned, accumulate;
};

template <class Format>
index_t differences(const problem<Format>& q, int threads, rp::random_stream& random) {
  using E = rp::array_operand_t<Format>;
  using S = rp::array_sum_t<Format>;
  const index_t ldc = q.n + 3;
  const auto where = placement_in_page::at_the_end;
  const guarded_vector<E> a(q.m * q.k, where), b(q.k * q.n, where);
  const guarded_vector<S> c(q.m * ldc, where);
  std::generate_n(a.data(), a.size(), [&] { return any_value<E>(random); });
  std::generate_n(b.data(), b.size(), [&] { return any_value<E>(random); });
  std::generate_n(c.data(), c.size(), [&] { return static_cast<S>(random.uniform(-1000, 1000)); });
  std::vector<S> expected(c.data(), c.data() + c.size());
  const auto view = [](const E* p, index_t rows, index_t cols, bool turned) {
    return turned ? rp::matrix_view<const E>(p, cols, rows).transposed() : rp::matrix_view<const E>(p, rows, cols);
  };
  rp::array_gemm_args<Format> args{.a = view(a.data(), q.m, q.k, q.a_turned),
                                   .b = view(b.data(), q.k, q.n, q.b_turned),
                                   .c = {c.data(), q.m, q.n, ldc},
                                   .depth = q.depth,
                                   .accumulate = q.accumulate};
  rp::run(on_cpu(threads), args);
  args.c.data = expected.data();
  rp::run(rp::reference, args);
  index_t wrong = 0;
  for (std::size_t i = 0; i < c.size(); ++i) wrong += same(c[i], expected[i]) ? 0 : 1;
  return wrong;
}

}  // namespace

TEST_CASE_TEMPLATE("the blocked array product is the definition bit for bit", F, rp::bfloat16, float, std::int8_t) {
  rp::random_stream random(1);
  for (int trial = 0; trial < 400; ++trial) {
    const auto around = [&](index_t tile) {
      const index_t sizes[] = {1, 2, tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 3, 5 * tile - 2};
      return std::max<index_t>(1, sizes[random.below(8)]);
    };
    const index_t depths[] = {1, 2, 3, 7, 8, 16, 32, 128};
    const index_t depth = depths[random.below(8)];
    const problem<F> q{.m = around(tile_rows),
                       .n = around(tile_columns),
                       .k = trial % 20 == 0 ? 0 : around(depth),
                       .depth = depth,
                       .a_turned = random.below(2) != 0,
                       .b_turned = random.below(2) != 0,
                       .accumulate = random.below(2) != 0};
    CAPTURE(q.m);
    CAPTURE(q.n);
    CAPTURE(q.k);
    CAPTURE(depth);
    CHECK(differences(q, 1 + static_cast<int>(random.below(3)), random) == 0);
  }
}

TEST_CASE_TEMPLATE("several blocks of rows and columns", F, rp::bfloat16, float, std::int8_t) {
  rp::random_stream random(2);
  for (const auto& [m, n, k] : {std::array<index_t, 3>{101, 515, 70}, {197, 40, 300}, {3, 1030, 129}})
    for (const int threads : {1, 2, 4}) CHECK(differences<F>({m, n, k, 64, false, false, false}, threads, random) == 0);
}

TEST_CASE("a bf16 product is rounded before it is added, even if fusing would avoid overflow") {
  // 2⁶⁴·2⁶⁴ overflows; a fused sum with −2¹²⁷ would be finite.
  const float a[] = {-1.0F, 0x1p64F}, b[] = {0x1p127F, 0x1p64F};
  float c = 0;
  rp::run(on_cpu(1), rp::array_gemm_args<rp::bfloat16>{.a = {a, 1, 2}, .b = {b, 2, 1}, .c = {&c, 1, 1}});
  CHECK(c == std::numeric_limits<float>::infinity());
}

TEST_CASE("int32 sums wrap") {
  const std::vector<std::int8_t> a(200'000, -128);
  std::int32_t c = 0;
  const auto k = static_cast<index_t>(a.size());
  rp::run(on_cpu(1), rp::array_gemm_args<std::int8_t>{.a = {a.data(), 1, k}, .b = {a.data(), k, 1}, .c = {&c, 1, 1}});
  CHECK(c == static_cast<std::int32_t>(static_cast<std::uint32_t>(200'000U * 16384U)));
}

TEST_CASE("array_gemm refuses mismatched operands before it writes") {
  const float a[6] = {}, b[6] = {};
  float c[4] = {7, 7, 7, 7};
  using args = rp::array_gemm_args<float>;
  const args good{.a = {a, 2, 3}, .b = {b, 3, 2}, .c = {c, 2, 2}};
  const auto with = [&](auto change) {
    args bad = good;
    change(bad);
    return bad;
  };
  CHECK_THROWS_AS(rp::run(on_cpu(1), with([](args& g) { g.b.rows = 2; })), rp::shape_error);
  CHECK_THROWS_AS(rp::run(on_cpu(1), with([](args& g) { g.c.cols = 1; })), rp::shape_error);
  CHECK_THROWS_AS(rp::run(on_cpu(1), with([](args& g) { g.c.col_stride = 2; })), rp::shape_error);
  CHECK_THROWS_AS(rp::run(on_cpu(1), with([](args& g) { g.a.row_stride = 1; })), rp::shape_error);
  CHECK_THROWS_AS(rp::run(on_cpu(1), with([](args& g) { g.b.row_stride = 1; })), rp::shape_error);
  CHECK_THROWS_AS(rp::run(on_cpu(1), with([](args& g) { g.a.data = nullptr; })), rp::shape_error);
  for (const index_t depth : {-1, 0, 1025})
    CHECK_THROWS_AS(rp::run(on_cpu(1), with([&](args& g) { g.depth = depth; })), rp::value_error);
  for (const float x : c) CHECK(x == 7);
}

TEST_CASE("the receipt counts each operand once") {
  constexpr rp::array_gemm_args<rp::bfloat16> g{.a = {nullptr, 4, 5}, .b = {nullptr, 5, 6}, .c = {nullptr, 4, 6}};
  static_assert(receipt(g) == rp::work{.flop = 240, .matrix_flop = 240, .bytes = {4 * 20, 4 * 30, 4 * 24}});
}

// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/systolic_array.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <span>
#include <string>

#include <ridgepoint/reference/gemm.hpp>

#include "array_cases.hpp"

namespace rp = ridgepoint;
using namespace rp::systolic;
using namespace array_cases;

namespace {

using runner = bool (*)(std::mt19937&, dataflow, int);
// The simulator does not depend on the size: one array of each shape (an element, a row, a column, wide, square, tall,
// large).
constexpr runner small_arrays[] = {run_case<1, 1>, run_case<1, 7>,  run_case<6, 1>,  run_case<3, 16>,
                                   run_case<8, 8>, run_case<13, 5>, run_case<32, 32>};
constexpr runner largest_array[] = {run_case<128, 128>};

int differences(std::span<const runner> arrays, int cases) {
  std::mt19937 random(7);
  int wrong = 0;
  for (int i = 0; i < cases; ++i) {
    const auto u = static_cast<std::size_t>(i);
    wrong += !arrays[u % arrays.size()](random, dataflows[u / arrays.size() % 3],
                                        static_cast<int>(u / (3 * arrays.size()) % 3));
  }
  return wrong;
}

}  // namespace

TEST_CASE("systolic array: 3150 random products match the contract bit for bit, and their counters the closed form") {
  CHECK(differences(small_arrays, 3150) == 0);
}

TEST_CASE("systolic array: 9 random products of the largest array match the contract bit for bit") {
  CHECK(differences(largest_array, 9) == 0);
}

TEST_CASE_TEMPLATE("systolic array: folds match array_gemm with depth R", Format, rp::bfloat16, float, std::int8_t) {
  using T = rp::array_operand_t<Format>;
  using Sum = rp::array_sum_t<Format>;
  std::mt19937 random(3);
  const auto a = operands<T>(random, 11 * 30), b = operands<T>(random, 30 * 9);
  std::vector<Sum> c(99), d(99);
  systolic_array<Format, 8, 4>().multiply({a.data(), 11, 30}, {b.data(), 30, 9}, {c.data(), 11, 9});
  rp::array_gemm_args<Format> args{.a = {a.data(), 11, 30}, .b = {b.data(), 30, 9}, .c = {d.data(), 11, 9}, .depth = 8};
  execute(rp::reference, args);
  CHECK(c == d);
}

TEST_CASE("systolic array: strided and transposed operands") {
  std::mt19937 random(4);
  const auto a = operands<float>(random, 7 * 20), b = operands<float>(random, 20 * 6);
  std::vector<float> at(a.size()), c(42), d(7 * 10, 5.0f);
  for (int i = 0; i < 7; ++i)
    for (int p = 0; p < 20; ++p) at[static_cast<std::size_t>(p * 7 + i)] = a[static_cast<std::size_t>(i * 20 + p)];
  for (const dataflow flow : dataflows) {
    const systolic_array<float, 4, 4> array({.flow = flow});
    array.multiply({a.data(), 7, 20}, {b.data(), 20, 6}, {c.data(), 7, 6});
    array.multiply(rp::matrix_view<const float>(at.data(), 20, 7).transposed(), {b.data(), 20, 6},
                   {d.data(), 7, 6, 10});
    for (int i = 0; i < 7; ++i) {
      for (int j = 0; j < 6; ++j)
        CHECK(c[static_cast<std::size_t>(i * 6 + j)] == d[static_cast<std::size_t>(i * 10 + j)]);
      CHECK(d[static_cast<std::size_t>(i * 10 + 6)] == 5.0f);  // past the row
    }
  }
}

TEST_CASE("systolic array: in every cycle each processing element holds the operands of its position") {
  std::mt19937 random(5);
  const auto a = operands<float>(random, 9 * 10), b = operands<float>(random, 10 * 7);
  const rp::matrix_view<const float> av(a.data(), 9, 10), bv(b.data(), 10, 7);
  std::vector<float> c(63);
  for (const dataflow flow : dataflows) {
    const array_options options{.flow = flow, .fetch_cycles = flow == dataflow::output_stationary ? 0u : 6u};
    std::uint64_t macs = 0, cycles = 0, wrong = 0;
    std::uint64_t phases[4] = {};
    const auto look = [&](const auto& now) {
      wrong += now.cycle() != cycles++;
      ++phases[static_cast<int>(now.phase())];
      for (int r = 0; r < 4; ++r)
        for (int col = 0; col < 3; ++col) {
          const auto position = now.position_at(r, col);
          if (!position) continue;
          ++macs;
          const tile t = now.tile_of(position->tile);
          if (r >= t.rows || col >= t.cols) continue;
          const rp::index_t row = t.row0 + r, column = t.col0 + col, step = t.stream0 + position->step;
          float left = 0, stays = 0;
          switch (flow) {
            case dataflow::weight_stationary:
              left = av(step, row), stays = bv(row, column);
              break;
            case dataflow::input_stationary:
              left = bv(row, step), stays = av(column, row);
              break;
            case dataflow::output_stationary:
              left = av(row, step), stays = bv(step, column);
              break;
          }
          wrong += now.operand_at(r, col) != left || now.weight_at(r, col) != stays;
        }
    };
    const array_counters n = systolic_array<float, 4, 3>(options).multiply(av, bv, {c.data(), 9, 7}, look);
    CAPTURE(std::string(to_string(flow)));
    CHECK(wrong == 0);
    CHECK(cycles == n.cycles);
    CHECK(macs == n.useful_macs + n.unused_macs);
    CHECK(n.useful_macs == 9 * 10 * 7);
    CHECK(std::vector(phases, phases + 4) == std::vector{n.active, n.stall, n.shift, n.drain});
  }
}

TEST_CASE("systolic array: NaN and infinity reach exactly the results that depend on them") {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const dataflow flow : dataflows) {
    std::vector<float> a(5 * 6, 1.0f), b(6 * 4, 2.0f), c(20);
    a[1 * 6 + 2] = nan;      // row 1
    b[3 * 4 + 0] = inf;      // column 0
    a[3 * 6 + 3] = 0;        // row 3, column 0: 0·∞
    a[4 * 6 + 5] = 3.4e38f;  // bf16: infinite
    systolic_array<rp::bfloat16, 4, 3>({.flow = flow}).multiply({a.data(), 5, 6}, {b.data(), 6, 4}, {c.data(), 5, 4});
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 4; ++j) {
        const float x = c[static_cast<std::size_t>(i * 4 + j)];
        if (i == 1 || (i == 3 && j == 0)) CHECK(std::isnan(x));
        else if (j == 0 || i == 4) CHECK(x == inf);
        else CHECK(x == (i == 3 ? 10.0f : 12.0f));
      }
  }
}

TEST_CASE("systolic array: bf16 operands are rounded on entry, ties to even; int32 sums wrap") {
  const float a[] = {1.00390625f, 1.01171875f}, one[] = {1.0f, 1.0f};
  float c[2];
  systolic_array<rp::bfloat16, 2, 2>().multiply({a, 2, 1}, {one, 1, 1}, {c, 2, 1});
  CHECK(c[0] == 1.0f);
  CHECK(c[1] == 1.015625f);
  const rp::index_t k = 131'072 + 1;  // (−128)²·(2¹⁷ + 1) = 2³¹ + 2¹⁴
  const std::vector<std::int8_t> x(static_cast<std::size_t>(k), -128);
  for (const dataflow flow : dataflows) {
    std::int32_t y = 0;
    systolic_array<std::int8_t, 2, 1>({.flow = flow}).multiply({x.data(), 1, k}, {x.data(), k, 1}, {&y, 1, 1});
    CHECK(y == std::numeric_limits<std::int32_t>::min() + 16384);
  }
}

TEST_CASE("systolic array: mismatched operands are refused and nothing is written") {
  const std::vector<float> a(64), b(64);
  std::vector<float> c(64, 3.0f);
  const systolic_array<float, 4, 4> array;
  CHECK_THROWS_WITH_AS(array.multiply({a.data(), 4, 5}, {b.data(), 6, 4}, {c.data(), 4, 4}),
                       doctest::Contains("a is 4x5, b is 6x4"), rp::shape_error);
  CHECK_THROWS_WITH_AS(array.multiply({a.data(), 4, 0}, {b.data(), 0, 4}, {c.data(), 4, 4}),
                       doctest::Contains("every extent must be >= 1"), rp::shape_error);
  CHECK_THROWS_WITH_AS(array.multiply({a.data(), 4, 4}, {nullptr, 4, 4}, {c.data(), 4, 4}),
                       doctest::Contains("null pointer"), rp::shape_error);
  CHECK_THROWS_AS((systolic_array<float, 4, 4>({.fifo_depth = 0})), rp::value_error);
  CHECK(std::ranges::count(c, 3.0f) == 64);
}

// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/elementwise.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

TEST_CASE_TEMPLATE("concatenation of channels agrees with its definition", T, float, double) {
  const auto both = [](index_t rows, index_t first, index_t second) {
    return [=](const auto& on, const auto& p, rp::step_state*) {
      execute(on, rp::concat_channels_args<element_t<decltype(p)>>{
                      .a = {p[0], rows, first}, .b = {p[1], rows, second}, .y = {p[2], rows, first + second}});
    };
  };
  const auto operands_of = [](index_t rows, index_t first, index_t second) {
    return std::vector<operand>{random_values<T>(rows * first, 1), random_values<T>(rows * second, 2),
                                output(rows * (first + second))};
  };
  for (const index_t first : {1, 8, 17, 131})
    for (const index_t second : {1, 3, 16, 33})
      for (const index_t rows : {1, 7, 700}) {
        CAPTURE(rows);
        CAPTURE(first);
        CAPTURE(second);
        agree<T>(on_cpu, operands_of(rows, first, second), both(rows, first, second));
      }
  const index_t first = body_and_tail<T>();
  for (const std::size_t which : {0U, 1U}) agree_on_nan<T>(on_cpu, operands_of(2, first, 3), which, both(2, first, 3));
}

TEST_CASE("concatenation accepts any row stride and leaves the gaps between rows unchanged") {
  const std::vector<float> a = {1, 2, -1, 3, 4}, b = {5, 6};
  std::vector<float> y(7, -5);
  rp::concat_channels(on_cpu(1), rp::matrix_view<const float>(a.data(), 2, 2, 3),
                      rp::matrix_view<const float>(b.data(), 2, 1), rp::matrix_view<float>(y.data(), 2, 3, 4));
  CHECK(y == std::vector<float>{1, 2, 5, -5, 3, 4, 6});
}

TEST_CASE("concat_channels refuses invalid arguments") {
  float a[6] = {}, b[6] = {}, y[12] = {};
  const auto join = [](const rp::matrix_view<const float>& first, const rp::matrix_view<const float>& second,
                       const rp::matrix_view<float>& to) { rp::concat_channels(rp::reference, first, second, to); };
  CHECK_THROWS_WITH_AS(join({a, 2, 3}, {b, 2, 2}, {y, 2, 6}),
                       "concat_channels: a is 2x3, b is 2x2 and y is 2x6; must have equal rows, and y the columns of "
                       "both",
                       rp::shape_error);
  CHECK_THROWS_AS(join({a, 2, 3}, {b, 3, 2}, {y, 2, 5}), rp::shape_error);
  CHECK_THROWS_AS(join({a, 2, -1}, {b, 2, 3}, {y, 2, 2}), rp::shape_error);
  CHECK_THROWS_WITH_AS(join({a, 2, 3}, {y, 2, 3}, {y, 2, 6}), "concat_channels: y overlaps b; must not overlap",
                       rp::shape_error);
}

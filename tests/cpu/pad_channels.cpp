// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/elementwise.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
struct padding {
  index_t rows, before, narrow, after;
  [[nodiscard]] index_t wide() const { return before + narrow + after; }
};
auto both_passes(const padding& g) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on,
            rp::pad_channels_args<S>{.before = g.before, .x = {p[0], g.rows, g.narrow}, .y = {p[1], g.rows, g.wide()}});
    execute(on, rp::pad_channels_backward_args<S>{
                    .before = g.before, .dy = {p[2], g.rows, g.wide()}, .dx = {p[3], g.rows, g.narrow}});
  };
}
template <class T>
std::vector<operand> padded_operands(const padding& g) {
  return {random_values<T>(g.rows * g.narrow, 1), output(g.rows * g.wide()), random_values<T>(g.rows * g.wide(), 2),
          output(g.rows * g.narrow)};
}
}  // namespace

TEST_CASE_TEMPLATE("padding of channels agrees with its definition", T, float, double) {
  for (const index_t narrow : {1, 3, 8, 16, 17, 64, 131})
    for (const index_t before : {0, 1, 8, 33})
      for (const index_t after : {0, 5, 8})
        for (const index_t rows : {1, 7, 700}) {
          const padding g{rows, before, narrow, after};
          CAPTURE(rows);
          CAPTURE(before);
          CAPTURE(narrow);
          CAPTURE(after);
          agree<T>(on_cpu, padded_operands<T>(g), both_passes(g));
        }
  const padding g{3, 2, body_and_tail<T>(), 1};
  for (const std::size_t which : {0U, 2U}) agree_on_nan<T>(on_cpu, padded_operands<T>(g), which, both_passes(g));
}

TEST_CASE_TEMPLATE("padding leaves the gaps between rows unchanged, and accepts any row stride", T, float, double) {
  const std::vector<T> x = {1, 2, -1, 3, 4, -1};
  std::vector<T> y(12, T(-5)), dx(6, T(-5));
  rp::pad_channels(on_cpu(1), 1, rp::matrix_view<const T>(x.data(), 2, 2, 3), rp::matrix_view<T>(y.data(), 2, 5, 6));
  CHECK(y == std::vector<T>{0, 1, 2, 0, 0, -5, 0, 3, 4, 0, 0, -5});
  rp::pad_channels_backward(on_cpu(1), 1, rp::matrix_view<const T>(y.data(), 2, 5, 6),
                            rp::matrix_view<T>(dx.data(), 2, 2, 3));
  CHECK(dx == std::vector<T>{1, 2, -5, 3, 4, -5});
}

TEST_CASE("pad_channels refuses invalid arguments") {
  float x[24] = {}, y[24] = {};
  const auto pad = [&](index_t before, const rp::matrix_view<const float>& from, const rp::matrix_view<float>& to) {
    rp::pad_channels(rp::reference, before, from, to);
  };
  CHECK_THROWS_WITH_AS(pad(1, {x, 2, 3}, {y, 3, 3}), "pad_channels: x is 2x3 but y is 3x3; must have equal rows",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(pad(-1, {x, 2, 3}, {y, 2, 5}), "pad_channels: before is -1; must be >= 0", rp::shape_error);
  CHECK_THROWS_WITH_AS(pad(3, {x, 2, 3}, {y, 2, 5}),
                       "pad_channels: x is 2x3 after 3 columns of y, which is 2x5; must fit", rp::shape_error);
  CHECK_THROWS_WITH_AS(pad(std::numeric_limits<index_t>::max(), {x, 2, 3}, {y, 2, 5}), doctest::Contains("must fit"),
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(pad(1, {y + 4, 2, 3}, {y, 2, 5}), "pad_channels: y overlaps x; must not overlap",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::pad_channels_backward(rp::reference, 3, rp::matrix_view<const float>(y, 2, 5),
                                                 rp::matrix_view<float>(x, 2, 3)),
                       "pad_channels_backward: dx is 2x3 after 3 columns of dy, which is 2x5; must fit",
                       rp::shape_error);
  pad(2, {x, 0, 3}, {y, 0, 5});  // empty operands are valid
}

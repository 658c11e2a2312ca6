// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/onednn/pooling.hpp>
#include <ridgepoint/reference/pooling.hpp>

#include "support/pool_geometries.hpp"
#include "tensors.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {
/// Results of one backend for x and dy.
struct max_pooled {
  rp::tensor<float> y, plain, dx;
  std::vector<std::uint8_t> index;

  template <class Backend>
  max_pooled(const Backend& on, const rp::pool2d_geometry& g, const rp::tensor<float>& x, const rp::tensor<float>& dy)
      : y(test::unwritten(g.output_size())),
        plain(y),
        dx(test::unwritten(g.input_size())),
        index(static_cast<std::size_t>(g.output_size())) {
    const rp::max_pool2d_args<float> forward{.geometry = g, .x = x.data(), .y = y.data(), .index = index.data()};
    CHECK(rp::run(on, forward) == receipt(forward));
    rp::run(on, rp::max_pool2d_args<float>{.geometry = g, .x = x.data(), .y = plain.data()});
    const rp::max_pool2d_backward_args<float> backward{
        .geometry = g, .dy = dy.data(), .index = index.data(), .dx = dx.data()};
    CHECK(rp::run(on, backward) == receipt(backward));
  }
};
}  // namespace

TEST_CASE("max_pool2d finds the same taps as its definition, including ties") {
  const rp::onednn on(1);
  for (const rp::pool2d_geometry& g : pool_geometries<float>()) {
    const std::string what = to_string(g);
    CAPTURE(what);
    rp::tensor<float> x = test::values(g.input_size(), 1, -3, 3);
    for (float& value : x.values()) value = std::trunc(value);
    const auto dy = test::values(g.output_size(), 2);
    const max_pooled got(on, g, x, dy), expected(rp::reference, g, x, dy),
        scale(rp::reference, g, x, test::magnitudes(dy));
    const auto exact = [](index_t) { return 0.0; };
    test::check_within("y", got.y, expected.y, exact);
    test::check_within("y without index", got.plain, expected.y, exact);
    CHECK(got.index == expected.index);
    test::check_sums("dx", got.dx, expected.dx, scale.dx, g.kh * g.kw);
  }
}
TEST_CASE("max_pool2d without an index allows windows of more than 256 taps") {
  const rp::onednn on(1);
  const rp::pool2d_geometry g{.n = 1, .h = 20, .w = 20, .c = 9, .kh = 20, .kw = 20};
  const auto x = test::values(g.input_size(), 3);
  auto y = test::unwritten(g.output_size()), expected = y;
  std::vector<std::uint8_t> index(static_cast<std::size_t>(g.output_size()));
  rp::run(on, rp::max_pool2d_args<float>{.geometry = g, .x = x.data(), .y = y.data()});
  rp::run(rp::reference, rp::max_pool2d_args<float>{.geometry = g, .x = x.data(), .y = expected.data()});
  test::check_within("y", y, expected, [](index_t) { return 0.0; });
  CHECK_THROWS_WITH_AS(
      rp::run(on, rp::max_pool2d_args<float>{.geometry = g, .x = x.data(), .y = y.data(), .index = index.data()}),
      doctest::Contains("max_pool2d: window is 20x20; must have at most 256 taps"), rp::value_error);
}
TEST_CASE("the last tap of a window of 256 has a number") {
  const rp::onednn on(1);
  const rp::pool2d_geometry g{.n = 1, .h = 16, .w = 16, .c = 8, .kh = 16, .kw = 16};
  rp::tensor<float> x = test::values(g.input_size(), 4);
  for (index_t c = 0; c < g.c; ++c) x[(255 - 13 * c) * g.c + c] = 100;
  const auto dy = test::values(g.output_size(), 5);
  CHECK(max_pooled(on, g, x, dy).index == max_pooled(rp::reference, g, x, dy).index);
}

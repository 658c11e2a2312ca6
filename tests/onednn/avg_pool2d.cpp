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
struct averaged {
  rp::tensor<float> y, dx;

  template <class Backend>
  averaged(const Backend& on, const rp::pool2d_geometry& g, rp::mean_over over, const rp::tensor<float>& x,
           const rp::tensor<float>& dy)
      : y(test::unwritten(g.output_size())), dx(test::unwritten(g.input_size())) {
    const rp::avg_pool2d_args<float> forward{.geometry = g, .x = x.data(), .y = y.data(), .over = over};
    const rp::avg_pool2d_backward_args<float> backward{.geometry = g, .dy = dy.data(), .dx = dx.data(), .over = over};
    CHECK(rp::run(on, forward) == receipt(forward));
    CHECK(rp::run(on, backward) == receipt(backward));
  }
};
bool beyond_padding(const rp::pool2d_geometry& g) {
  return g.rows().input(g.oh() - 1, g.kh - 1) >= g.h + g.padding.bottom ||
         g.columns().input(g.ow() - 1, g.kw - 1) >= g.w + g.padding.right;
}
}  // namespace

TEST_CASE("avg_pool2d excludes or includes its padding, forward and backward") {
  const rp::onednn on(1);
  for (const rp::pool2d_geometry& g : pool_geometries<float>()) {
    const std::string what = to_string(g);
    CAPTURE(what);
    const auto x = test::values(g.input_size(), 1), dy = test::values(g.output_size(), 2);
    for (const rp::mean_over over : {rp::mean_over::image, rp::mean_over::window}) {
      if (over == rp::mean_over::window && beyond_padding(g)) continue;
      CAPTURE(over == rp::mean_over::window);
      const averaged got(on, g, over, x, dy), expected(rp::reference, g, over, x, dy),
          scale(rp::reference, g, over, test::magnitudes(x), test::magnitudes(dy));
      test::check_sums("y", got.y, expected.y, scale.y, g.kh * g.kw + 1);
      test::check_sums("dx", got.dx, expected.dx, scale.dx, g.kh * g.kw + 1);
    }
  }
}

TEST_CASE("windows that reach past the padding are refused if the mean includes it") {
  const rp::onednn on(1);
  const rp::pool2d_geometry g{
      .n = 1, .h = 4, .w = 4, .c = 3, .kh = 3, .kw = 3, .stride = 2, .rounding = rp::rounding_rule::up};
  CHECK(beyond_padding(g));
  const auto x = test::values(g.input_size(), 1);
  auto y = test::unwritten(g.output_size());
  CHECK_NOTHROW(rp::run(on, rp::avg_pool2d_args<float>{.geometry = g, .x = x.data(), .y = y.data()}));
  CHECK_THROWS_WITH_AS(
      rp::run(on,
              rp::avg_pool2d_args<float>{.geometry = g, .x = x.data(), .y = y.data(), .over = rp::mean_over::window}),
      "onednn: avg_pool2d: windows extend beyond the padding of 1x4x4x3 window 3x3 /2 rounded up; a "
      "mean over windows must stay inside it",
      rp::unsupported);
}

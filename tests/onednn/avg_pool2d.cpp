// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/onednn/avg_pool2d.hpp>
#include <ridgepoint/reference/avg_pool2d.hpp>

#include "support/pool_geometries.hpp"
#include "tensors.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {
/// What one backend makes of x and dy.
struct averaged {
  rp::tensor<float> y, dx;

  template <class Backend>
  averaged(const Backend& on, const rp::pool2d_geometry& g, const rp::tensor<float>& x, const rp::tensor<float>& dy)
      : y(test::unwritten(g.output_size())), dx(test::unwritten(g.input_size())) {
    const rp::avg_pool2d_args<float> forward{.geometry = g, .x = x.data(), .y = y.data()};
    const rp::avg_pool2d_backward_args<float> backward{.geometry = g, .dy = dy.data(), .dx = dx.data()};
    CHECK(rp::run(on, forward) == receipt(forward));
    CHECK(rp::run(on, backward) == receipt(backward));
  }
};
}  // namespace

TEST_CASE("avg_pool2d leaves out what lies beside the image, forward and backward") {
  const rp::onednn on(1);
  for (const rp::pool2d_geometry& g : pool_geometries<float>()) {
    const std::string what = to_string(g);
    CAPTURE(what);
    const auto x = test::values(g.input_size(), 1), dy = test::values(g.output_size(), 2);
    const averaged got(on, g, x, dy), expected(rp::reference, g, x, dy),
        scale(rp::reference, g, test::magnitudes(x), test::magnitudes(dy));
    test::check_sums("y", got.y, expected.y, scale.y, g.kh * g.kw + 1);
    test::check_sums("dx", got.dx, expected.dx, scale.dx, g.kh * g.kw + 1);
  }
}

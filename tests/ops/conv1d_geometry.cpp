// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/ops/geometry.hpp>
#include <ridgepoint/reference/convolution.hpp>

#include "support/near.hpp"
#include "support/random_tensor.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {
/// Σ_{tap, c} x(n, o·stride − before + tap·dilation, c) · w(tap, c, f), by loops over sequences.
double summed(const rp::conv1d_geometry& g, const double* x, const double* w, index_t n, index_t o, index_t f) {
  const index_t group_c = g.c / g.groups, first = f / (g.f / g.groups) * group_c;
  double sum = 0;
  for (index_t tap = 0; tap < g.taps; ++tap) {
    const index_t t = o * g.stride - g.before + tap * g.dilation;
    if (t < 0 || t >= g.t) continue;
    for (index_t c = 0; c < group_c; ++c) sum += x[(n * g.t + t) * g.c + first + c] * w[(tap * group_c + c) * g.f + f];
  }
  return sum;
}
}  // namespace

TEST_CASE("a convolution of sequences equals the sum in its formula") {
  for (const rp::conv1d_geometry& g :
       {rp::conv1d_geometry{.n = 2, .t = 7, .c = 3, .f = 4, .taps = 3},
        rp::conv1d_geometry{.n = 1, .t = 9, .c = 2, .f = 3, .taps = 3, .before = 2},  // causal
        rp::conv1d_geometry{
            .n = 2, .t = 8, .c = 4, .f = 6, .taps = 2, .stride = 3, .before = 1, .after = 2, .groups = 2},
        rp::conv1d_geometry{.n = 1, .t = 10, .c = 1, .f = 2, .taps = 4, .stride = 2, .after = 1, .dilation = 3}}) {
    CAPTURE(to_string(g.image()));
    CHECK_NOTHROW(check(g));
    const auto x = random_tensor<double>({g.n, g.t, g.c}, 1),
               w = random_tensor<double>({g.taps, g.c / g.groups, g.f}, 2);
    rp::tensor<double> y({g.n, g.outputs(), g.f});
    const rp::work receipt = rp::run(
        rp::reference, rp::conv2d_args<double>{.geometry = g.image(), .x = x.data(), .w = w.data(), .y = y.data()});
    CHECK(receipt.flop == static_cast<std::uint64_t>(2 * y.size() * g.taps * (g.c / g.groups)));
    for (index_t i = 0; i < y.size(); ++i)
      CHECK(y.data()[i] == near(summed(g, x.data(), w.data(), i / g.f / g.outputs(), i / g.f % g.outputs(), i % g.f)));
  }
  static_assert(rp::conv1d_geometry{.t = 100, .taps = 5, .stride = 2, .dilation = 3}.outputs() == 44);
}

TEST_CASE("sequences that cannot be convolved") {
  CHECK_THROWS_WITH_AS(check(rp::conv1d_geometry{.t = 4, .taps = 5}),
                       "conv1d: width is 4 with its padding but the window reaches 5; must fit", rp::shape_error);
  CHECK_THROWS_AS(check(rp::conv1d_geometry{.t = 4, .taps = 2, .stride = 0}), rp::value_error);
  CHECK_THROWS_AS(check(rp::conv1d_geometry{.t = 4, .taps = 2, .before = -1}), rp::value_error);
  CHECK_THROWS_AS(check(rp::conv1d_geometry{.t = 4, .c = 3, .taps = 2, .groups = 2}), rp::shape_error);
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/onednn/convolution.hpp>
#include <ridgepoint/ops/prepare.hpp>
#include <ridgepoint/reference/convolution.hpp>

#include "convolution_passes.hpp"

namespace rp = ridgepoint;
using rp::index_t;

static_assert(rp::prepares<rp::onednn, rp::conv2d_args<float>> && !rp::executes<rp::onednn, rp::conv2d_args<double>>);

namespace {
void check_conv2d(const rp::conv2d_geometry& g, const test::convolution_options& options = {}) {
  static const rp::onednn on(1);
  test::check_convolution<rp::conv2d_args<float>, rp::conv2d_backward_data_args<float>,
                          rp::conv2d_backward_weights_args<float>>(on, g, options);
}
}  // namespace

TEST_CASE("conv2d in all passes: windows, strides, dilations and paddings") {
  for (const rp::spatial kernel : {rp::spatial(1), rp::spatial(3), rp::spatial(2, 5)})
    for (const rp::spatial stride : {rp::spatial(1), rp::spatial(2), rp::spatial(3, 1)})
      for (const rp::spatial dilation : {rp::spatial(1), rp::spatial(2), rp::spatial(1, 3)})
        for (const rp::padding2d& padding : {rp::padding2d{}, rp::padding2d{1, 1, 1, 1}, rp::padding2d{0, 3, 5, 1}})
          check_conv2d({.n = 2,
                        .h = 9,
                        .w = 13,
                        .c = 3,
                        .f = 5,
                        .kh = kernel.h,
                        .kw = kernel.w,
                        .stride = stride,
                        .padding = padding,
                        .dilation = dilation});
}
TEST_CASE("conv2d in all passes: 1x1 filters with different strides in height and width") {
  for (const rp::spatial stride :
       {rp::spatial(3), rp::spatial(3, 1), rp::spatial(1, 3), rp::spatial(2, 1), rp::spatial(1, 2), rp::spatial(2, 3)})
    for (const index_t c : {3, 16}) check_conv2d({.n = 2, .h = 9, .w = 13, .c = c, .f = 24, .stride = stride});
}
TEST_CASE("conv2d in all passes: channels, with and without a bias") {
  for (const index_t c : {1, 3, 16, 33})
    for (const index_t f : {1, 8, 17, 64})
      for (const index_t kernel : {1, 3})
        check_conv2d({.n = 3, .h = 8, .w = 7, .c = c, .f = f, .kh = kernel, .kw = kernel, .padding = {1, 1, 1, 1}},
                     {.biased = f != 17});
}
TEST_CASE("conv2d in all passes: groups, including groups of one channel") {
  for (const index_t groups : {2, 4, 8})
    for (const index_t kernel : {1, 3})
      for (const index_t f : {1, 3, 8})
        check_conv2d({.n = 2,
                      .h = 8,
                      .w = 7,
                      .c = 8,
                      .f = groups * f,
                      .kh = kernel,
                      .kw = kernel,
                      .padding = {1, 1, 1, 1},
                      .groups = groups});
}
TEST_CASE("conv2d in all passes: a first layer, a stem and a filter as large as the image") {
  check_conv2d({.n = 2, .h = 28, .w = 28, .c = 1, .f = 64, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}});
  check_conv2d({.n = 1, .h = 64, .w = 64, .c = 3, .f = 64, .kh = 7, .kw = 7, .stride = 2, .padding = {2, 3, 2, 3}});
  check_conv2d({.n = 4, .h = 5, .w = 5, .c = 24, .f = 40, .kh = 5, .kw = 5});
}
TEST_CASE("conv2d fuses the activation") {
  for (const rp::activation act : {rp::activation::relu, rp::activation::relu6, rp::activation::sigmoid,
                                   rp::activation::tanh, rp::activation::leaky_relu})
    for (const index_t f : {3, 32})
      check_conv2d({.n = 2, .h = 6, .w = 7, .c = 16, .f = f, .kh = 3, .kw = 3, .padding = {1, 0, 1, 0}}, {.act = act});
}
TEST_CASE("conv2d adds a residual before the activation") {
  for (const rp::activation act : {rp::activation::none, rp::activation::relu, rp::activation::leaky_relu})
    for (const index_t f : {3, 32})
      for (const bool biased : {false, true})
        check_conv2d({.n = 2, .h = 6, .w = 7, .c = 16, .f = f, .kh = 3, .kw = 3, .padding = {1, 0, 1, 0}},
                     {.biased = biased, .act = act, .residual = true});
}
TEST_CASE("conv2d of an empty batch: no output, and zero gradients") {
  check_conv2d({.n = 0, .h = 5, .w = 6, .c = 3, .f = 4, .kh = 3, .kw = 3});
  check_conv2d({.n = 0, .h = 5, .w = 6, .c = 3, .f = 4, .kh = 3, .kw = 3}, {.biased = false});
}
TEST_CASE("a window larger than the padded image is refused, and nothing is written") {
  const rp::onednn on(1);
  const rp::conv2d_geometry g{.h = 4, .w = 4, .kh = 5, .kw = 3};
  const float x[16] = {}, w[15] = {};
  float y[1] = {7};
  CHECK_THROWS_WITH_AS(rp::run(on, rp::conv2d_args<float>{.geometry = g, .x = x, .w = w, .y = y}),
                       doctest::Contains("conv2d: height is 4 with its padding but the window reaches 5"),
                       rp::shape_error);
  CHECK(y[0] == 7);
}
TEST_CASE("a prepared convolution reports its implementation, and computes the same as a plain one") {
  const rp::onednn on(1);
  const rp::conv2d_geometry g{.n = 2, .h = 14, .w = 14, .c = 64, .f = 64, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
  const auto x = test::values(g.input_size(), 1), w = test::values(g.filter_size(), 2);
  auto y = test::unwritten(g.output_size()), plain = y;
  rp::conv2d_args<float> args{.geometry = g, .x = x.data(), .w = w.data(), .y = y.data()};
  const rp::prepared call(on, args);
  CHECK(std::isnan(y[0]));
  CHECK(std::string(call.info().algorithm) != "");
  CHECK(!std::string(call.info().algorithm).starts_with("ref"));
  CHECK(call.info().executed == receipt(args));
  call.run();
  args.y = plain.data();
  rp::run(on, args);
  CHECK(std::equal(y.data(), y.data() + y.size(), plain.data()));
}

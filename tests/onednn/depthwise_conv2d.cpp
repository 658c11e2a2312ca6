// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/onednn/convolution.hpp>
#include <ridgepoint/reference/convolution.hpp>

#include "convolution_passes.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {
void check_depthwise(const rp::depthwise_geometry& g, const test::convolution_options& options = {}) {
  static const rp::onednn on(1);
  test::check_convolution<rp::depthwise_conv2d_args<float>, rp::depthwise_conv2d_backward_data_args<float>,
                          rp::depthwise_conv2d_backward_weights_args<float>>(on, g, options);
}
}  // namespace

TEST_CASE("depthwise_conv2d in all passes: windows, strides, dilations and paddings") {
  for (const rp::spatial kernel : {rp::spatial(1), rp::spatial(3), rp::spatial(2, 5)})
    for (const rp::spatial stride : {rp::spatial(1), rp::spatial(2), rp::spatial(3, 1)})
      for (const index_t dilation : {1, 2})
        for (const rp::padding2d& padding : {rp::padding2d{}, rp::padding2d{1, 1, 1, 1}, rp::padding2d{0, 3, 5, 1}})
          check_depthwise({.n = 2,
                           .h = 9,
                           .w = 13,
                           .c = 10,
                           .kh = kernel.h,
                           .kw = kernel.w,
                           .stride = stride,
                           .padding = padding,
                           .dilation = dilation});
}
TEST_CASE("depthwise_conv2d in all passes: channels and multipliers") {
  for (const index_t c : {1, 3, 8, 16, 33, 64})
    for (const index_t multiplier : {1, 2, 3})
      check_depthwise(
          {.n = 2, .h = 7, .w = 8, .c = c, .multiplier = multiplier, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}},
          {.biased = c != 8});
}
TEST_CASE("depthwise_conv2d of an empty batch: no output, and zero gradients") {
  check_depthwise({.n = 0, .h = 5, .w = 6, .c = 3, .multiplier = 2, .kh = 3, .kw = 3});
}

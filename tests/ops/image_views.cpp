// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/random_tensor.hpp"

namespace rp = ridgepoint;

namespace mine {

/// Records the requested algorithm of a convolution.
struct noting : rp::host_memory {
  rp::conv_algorithm* passed = nullptr;
  static std::string name() { return "noting"; }
};
template <class Args>
  requires requires(const Args& a) { a.algorithm; }
void execute(const noting& on, const Args& a) { *on.passed = a.algorithm; }

}  // namespace mine

namespace {
constexpr rp::conv2d_geometry strided{.n = 2,
                                      .h = 5,
                                      .w = 7,
                                      .c = 3,
                                      .f = 4,
                                      .kh = 3,
                                      .kw = 2,
                                      .stride = {2, 3},
                                      .padding = {1, 0, 1, 1},
                                      .dilation = {1, 2}};
constexpr rp::convolution_options options{.stride = {2, 3}, .padding = {1, 0, 1, 1}, .dilation = {1, 2}};

template <class T>
bool same(const rp::tensor<T>& a, const rp::tensor<T>& b) {
  return a.shape() == b.shape() && std::equal(a.begin(), a.end(), b.begin());
}
}  // namespace

TEST_CASE_TEMPLATE("convolution of images equals that of their geometry", T, float, double) {
  const rp::conv2d_geometry& g = strided;
  const auto x = random_tensor<T>({g.n, g.h, g.w, g.c}, 1), w = random_tensor<T>({g.kh, g.kw, g.c, g.f}, 2),
             dy = random_tensor<T>({g.n, g.oh(), g.ow(), g.f}, 3), bias = random_tensor<T>({g.f}, 4);
  rp::tensor<T> y(dy.shape()), y0(dy.shape()), dx(x.shape()), dx0(x.shape()), dw(w.shape()), dw0(w.shape()), db({g.f}),
      db0({g.f});
  CHECK(rp::conv2d(rp::reference, x, w, bias, y, options, rp::activation::relu) ==
        rp::run(rp::reference, rp::conv2d_args<T>{.geometry = g,
                                                  .x = x.data(),
                                                  .w = w.data(),
                                                  .bias = bias.data(),
                                                  .y = y0.data(),
                                                  .act = rp::activation::relu}));
  CHECK(same(y, y0));
  CHECK(rp::conv2d_backward_data(rp::reference, dy, w, dx, options) ==
        rp::run(rp::reference,
                rp::conv2d_backward_data_args<T>{.geometry = g, .dy = dy.data(), .w = w.data(), .dx = dx0.data()}));
  CHECK(same(dx, dx0));
  CHECK(rp::conv2d_backward_weights(rp::reference, x, dy, dw, db, options) ==
        rp::run(rp::reference, rp::conv2d_backward_weights_args<T>{
                                   .geometry = g, .x = x.data(), .dy = dy.data(), .dw = dw0.data(), .db = db0.data()}));
  CHECK(same(dw, dw0));
  CHECK(same(db, db0));
  rp::conv2d(rp::reference, rp::tensor_view<const T, 4>(x), w, nullptr, rp::tensor_view<T, 4>(y), options);
  CHECK_FALSE(same(y, y0));  // no bias, no activation
}

TEST_CASE("convolution of images in groups has a filter of the channels of a group") {
  const rp::conv2d_geometry g{.n = 2, .h = 5, .w = 4, .c = 6, .f = 4, .kh = 3, .kw = 3, .groups = 2};
  const auto x = random_tensor<float>({2, 5, 4, 6}, 1), w = random_tensor<float>({3, 3, 3, 4}, 2);
  rp::tensor<float> y({2, 3, 2, 4}), y0(y.shape());
  CHECK(rp::conv2d(rp::reference, x, w, nullptr, y, {.groups = 2}) ==
        rp::run(rp::reference, rp::conv2d_args<float>{.geometry = g, .x = x.data(), .w = w.data(), .y = y0.data()}));
  CHECK(same(y, y0));
  CHECK_THROWS_WITH_AS(rp::conv2d(rp::reference, x, random_tensor<float>({3, 3, 6, 4}, 2), nullptr, y, {.groups = 2}),
                       "conv2d: w is 3x3x6x4; must be 3x3x3x4", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::depthwise_conv2d(rp::reference, x, w, nullptr, y, {.groups = 2}),
                       "depthwise_conv2d: groups is 2; must be 1", rp::value_error);
}

TEST_CASE("every pass of a convolution of images uses the algorithm of its options") {
  using rp::conv_algorithm;
  const rp::tensor<float> x({1, 4, 4, 2}), w({3, 3, 2, 5}), dy({1, 2, 2, 5});
  rp::tensor<float> y(dy.shape()), dx(x.shape()), dw(w.shape());
  conv_algorithm passed{};
  mine::noting on;
  on.passed = &passed;
  for (const conv_algorithm algorithm : {conv_algorithm::winograd_2x2, conv_algorithm::patches}) {
    const rp::convolution_options by{.algorithm = algorithm};
    passed = conv_algorithm::dots, rp::conv2d(on, x, w, nullptr, y, by);
    CHECK(passed == algorithm);
    passed = conv_algorithm::dots, rp::conv2d_backward_data(on, dy, w, dx, by);
    CHECK(passed == algorithm);
    passed = conv_algorithm::dots, rp::conv2d_backward_weights(on, x, dy, dw, nullptr, by);
    CHECK(passed == algorithm);
  }
  rp::conv2d(on, x, w, nullptr, y);
  CHECK(passed == conv_algorithm::automatic);
  const rp::tensor<float> each({3, 3, 2, 1});
  rp::tensor<float> by_channel({1, 2, 2, 2});
  const auto depthwise = [&](conv_algorithm algorithm) {
    rp::depthwise_conv2d(rp::reference, x, each, nullptr, by_channel, {.algorithm = algorithm});
  };
  CHECK_NOTHROW(depthwise(conv_algorithm::exact));
  CHECK_THROWS_WITH_AS(depthwise(conv_algorithm::winograd),
                       "depthwise_conv2d: the algorithm is one of conv2d's; must be automatic or exact",
                       rp::value_error);
}

TEST_CASE("depthwise convolution of images equals that of their geometry") {
  const rp::depthwise_geometry g{.n = 2,
                                 .h = 5,
                                 .w = 7,
                                 .c = 3,
                                 .multiplier = 2,
                                 .kh = 3,
                                 .kw = 2,
                                 .stride = {2, 3},
                                 .padding = {1, 0, 1, 1},
                                 .dilation = {1, 2}};
  const auto x = random_tensor<float>({g.n, g.h, g.w, g.c}, 1),
             w = random_tensor<float>({g.kh, g.kw, g.c, g.multiplier}, 2),
             dy = random_tensor<float>({g.n, g.oh(), g.ow(), g.f()}, 3), bias = random_tensor<float>({g.f()}, 4);
  rp::tensor<float> y(dy.shape()), y0(dy.shape()), dx(x.shape()), dx0(x.shape()), dw(w.shape()), dw0(w.shape()),
      db({g.f()}), db0({g.f()});
  CHECK(rp::depthwise_conv2d(rp::reference, x, w, bias, y, options) ==
        rp::run(rp::reference, rp::depthwise_conv2d_args<float>{
                                   .geometry = g, .x = x.data(), .w = w.data(), .bias = bias.data(), .y = y0.data()}));
  CHECK(same(y, y0));
  CHECK(rp::depthwise_conv2d_backward_data(rp::reference, dy, w, dx, options) ==
        rp::run(rp::reference, rp::depthwise_conv2d_backward_data_args<float>{
                                   .geometry = g, .dy = dy.data(), .w = w.data(), .dx = dx0.data()}));
  CHECK(same(dx, dx0));
  CHECK(rp::depthwise_conv2d_backward_weights(rp::reference, x, dy, dw, db, options) ==
        rp::run(rp::reference, rp::depthwise_conv2d_backward_weights_args<float>{
                                   .geometry = g, .x = x.data(), .dy = dy.data(), .dw = dw0.data(), .db = db0.data()}));
  CHECK(same(dw, dw0));
  CHECK(same(db, db0));
}

TEST_CASE("pooling of images equals that of their geometry") {
  const rp::pool2d_geometry g{
      .n = 2, .h = 6, .w = 5, .c = 3, .kh = 3, .kw = 2, .stride = {2, 1}, .padding = {1, 0, 0, 1}};
  const rp::pooling_options window{.window = {3, 2}, .stride = {2, 1}, .padding = {1, 0, 0, 1}};
  const auto x = random_tensor<float>({g.n, g.h, g.w, g.c}, 1),
             dy = random_tensor<float>({g.n, g.oh(), g.ow(), g.c}, 2);
  rp::tensor<float> y(dy.shape()), y0(dy.shape()), dx(x.shape()), dx0(x.shape());
  std::vector<std::uint8_t> index(static_cast<std::size_t>(g.output_size())), index0 = index;
  CHECK(rp::max_pool2d(rp::reference, x, y, index, window) ==
        rp::run(rp::reference,
                rp::max_pool2d_args<float>{.geometry = g, .x = x.data(), .y = y0.data(), .index = index0.data()}));
  CHECK(same(y, y0));
  CHECK(index == index0);
  CHECK(rp::max_pool2d_backward(rp::reference, dy, index, dx, window) ==
        rp::run(rp::reference, rp::max_pool2d_backward_args<float>{
                                   .geometry = g, .dy = dy.data(), .index = index.data(), .dx = dx0.data()}));
  CHECK(same(dx, dx0));
  CHECK(rp::avg_pool2d(rp::reference, x, y, window) ==
        rp::run(rp::reference, rp::avg_pool2d_args<float>{.geometry = g, .x = x.data(), .y = y0.data()}));
  CHECK(same(y, y0));
  CHECK(rp::avg_pool2d_backward(rp::reference, dy, dx, window) ==
        rp::run(rp::reference, rp::avg_pool2d_backward_args<float>{.geometry = g, .dy = dy.data(), .dx = dx0.data()}));
  CHECK(same(dx, dx0));
  constexpr auto whole = rp::mean_over::window;
  CHECK(
      rp::avg_pool2d(rp::reference, x, y, window, whole) ==
      rp::run(rp::reference, rp::avg_pool2d_args<float>{.geometry = g, .x = x.data(), .y = y0.data(), .over = whole}));
  CHECK(same(y, y0));
  CHECK(rp::avg_pool2d_backward(rp::reference, dy, dx, window, whole) ==
        rp::run(rp::reference,
                rp::avg_pool2d_backward_args<float>{.geometry = g, .dy = dy.data(), .dx = dx0.data(), .over = whole}));
  CHECK(same(dx, dx0));
  rp::tensor<float> larger({2, 4, 5, 3});
  CHECK_NOTHROW(
      rp::max_pool2d(rp::reference, x, larger, nullptr,
                     {.window = {3, 2}, .stride = {2, 1}, .padding = {1, 1, 0, 1}, .rounding = rp::rounding_rule::up}));
}

TEST_CASE("images that do not fit together are refused, and nothing is written") {
  const rp::tensor<float> x({1, 4, 4, 2}), w({3, 3, 2, 5}), flat({32});
  rp::tensor<float> y({1, 2, 2, 5}), wide({1, 2, 3, 5});
  CHECK_NOTHROW(rp::conv2d(rp::reference, x, w, nullptr, y));
  CHECK_THROWS_WITH_AS(rp::conv2d(rp::reference, x, w, nullptr, wide), "conv2d: y is 1x2x3x5; must be 1x2x2x5",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::conv2d(rp::reference, x, x, nullptr, y),
                       "conv2d: x has 2 channels but w is 1x4x4x2; its third extent must be equal", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::conv2d(rp::reference, flat, w, nullptr, y), "tensor_view: tensor is 32; must have 4 extents",
                       rp::shape_error);
  const rp::tensor_view<const float, 4> planes(x.data(), {1, 4, 4, 2}, {32, 4, 1, 16});  // channels outermost
  CHECK_THROWS_WITH_AS(rp::conv2d(rp::reference, planes, w, nullptr, y),
                       "conv2d: x is 1x4x4x2 with gaps or in another order; must be dense", rp::shape_error);
  CHECK_THROWS_AS(rp::conv2d(rp::reference, x, w, nullptr, y, {.stride = 0}), rp::value_error);
  rp::tensor<float> half({1, 2, 2, 2});
  CHECK_NOTHROW(rp::avg_pool2d(rp::reference, x, half, {.window = 2, .stride = 2}));
  CHECK_THROWS_AS(rp::avg_pool2d(rp::reference, x, half, {.window = 2}), rp::shape_error);
  CHECK_THROWS_AS(rp::max_pool2d(rp::reference, x, half, std::vector<std::uint8_t>(4), {.window = 2, .stride = 2}),
                  rp::shape_error);
}

// SPDX-License-Identifier: MIT
// Image ops refuse bad input with precise messages.
#include <doctest/doctest.h>

#include <ridgepoint/reference/convolution.hpp>
#include <ridgepoint/reference/normalisation.hpp>
#include <ridgepoint/reference/pooling.hpp>

#include "refuses.hpp"

namespace rp = ridgepoint;
using bad::m;
using bad::refuses;

TEST_CASE("conv2d") {
  const rp::conv2d_geometry g{.n = 1, .h = 3, .w = 3, .c = 2, .f = 3, .kh = 2, .kw = 2};
  using forward = rp::conv2d_args<float>;
  const forward good{.geometry = g, .x = m.a, .w = m.b, .bias = m.c, .y = m.out};
  auto args = good;
  args.geometry.kh = 4;
  refuses<rp::shape_error>(args, "conv2d: height is 3 with its padding but the window reaches 4; must fit");
  args = good, args.x = nullptr;
  refuses<rp::shape_error>(args, "conv2d: x is a null pointer; must point to 18 elements");
  args = good, args.w = m.out + 2;
  refuses<rp::shape_error>(args, "y overlaps w; must not overlap");
  args = good, args.bias = m.out;
  refuses<rp::shape_error>(args, "y overlaps bias; must not overlap");
  args = good, args.y = nullptr;
  refuses<rp::shape_error>(args, "y is a null pointer; must point to 12 elements");
  args = good, args.act = rp::activation::hard_sigmoid;
  refuses<rp::value_error>(args, "activation is hard_sigmoid; must be none, relu, leaky_relu, relu6, sigmoid or tanh");
  args.act = rp::activation::leaky_relu, args.slope = -0.5;
  refuses<rp::value_error>(args, "conv2d: slope is -0.5; must be finite and >= 0");
  args = good, args.residual = m.out;
  refuses<rp::shape_error>(args, "y overlaps residual; must not overlap");
  args = good, args.geometry.stride = 0;
  refuses<rp::value_error>(args, "stride is 0");
  for (const rp::index_t groups : {0, -2}) {
    args = good, args.geometry.groups = groups;
    refuses<rp::value_error>(args, "must be >= 1");
  }
  args = good, args.geometry.groups = 2;
  refuses<rp::shape_error>(args, "conv2d: groups is 2, c is 2, f is 3; must divide c and f");
  args.geometry.groups = 3;
  refuses<rp::shape_error>(args, "groups is 3, c is 2, f is 3");
  args = good, args.geometry.n = bad::huge;
  refuses<rp::shape_error>(args, "does not fit");
  args = good, args.geometry.n = 0, args.x = nullptr, args.y = nullptr;
  CHECK(rp::run(rp::reference, args) == rp::work{});  // an empty batch is fine

  using data = rp::conv2d_backward_data_args<float>;
  refuses<rp::shape_error>(data{.geometry = g, .dy = m.out + 1, .w = m.b, .dx = m.out}, "dx overlaps dy");
  refuses<rp::shape_error>(data{.geometry = g, .dy = m.a, .w = nullptr, .dx = m.out},
                           "conv2d_backward_data: w is a null pointer; must point to 24 elements");
  using weights = rp::conv2d_backward_weights_args<float>;
  refuses<rp::shape_error>(weights{.geometry = g, .x = m.a, .dy = m.b, .dw = m.out, .db = m.out + 23},
                           "db overlaps dw; must not overlap");
  refuses<rp::shape_error>(weights{.geometry = g, .x = m.out, .dy = m.b, .dw = m.c, .db = m.out}, "db overlaps x");
}

TEST_CASE("depthwise convolution") {
  const rp::depthwise_geometry g{.n = 1, .h = 3, .w = 3, .c = 2, .multiplier = 2, .kh = 2, .kw = 2};
  using forward = rp::depthwise_conv2d_args<float>;
  refuses<rp::shape_error>(forward{.geometry = g, .x = m.a, .w = nullptr, .y = m.out},
                           "depthwise_conv2d: w is a null pointer; must point to 16 elements");
  refuses<rp::shape_error>(forward{.geometry = {.h = 3, .w = 3, .c = 2, .kh = 4}, .x = m.a, .w = m.b, .y = m.out},
                           "depthwise_conv2d: height is 3 with its padding but the window reaches 4");
  using data = rp::depthwise_conv2d_backward_data_args<float>;
  refuses<rp::shape_error>(data{.geometry = g, .dy = m.a, .w = m.out + 5, .dx = m.out}, "dx overlaps w");
  using weights = rp::depthwise_conv2d_backward_weights_args<float>;
  refuses<rp::shape_error>(weights{.geometry = g, .x = m.a, .dy = m.out, .dw = m.out + 4}, "dw overlaps dy");
}

TEST_CASE("pooling") {
  const rp::pool2d_geometry g{.n = 1, .h = 4, .w = 4, .c = 2, .kh = 2, .kw = 2, .stride = 2};
  std::uint8_t index[64] = {};
  using largest = rp::max_pool2d_args<float>;
  refuses<rp::shape_error>(largest{.geometry = g, .x = nullptr, .y = m.out}, "x is a null pointer");
  refuses<rp::shape_error>(
      largest{.geometry = g, .x = m.a, .y = m.out, .index = reinterpret_cast<std::uint8_t*>(m.out)},
      "max_pool2d: index overlaps y; must not overlap");
  refuses<rp::shape_error>(largest{.geometry = g, .x = m.a, .y = m.out, .index = reinterpret_cast<std::uint8_t*>(m.a)},
                           "index overlaps x; must not overlap");
  const rp::pool2d_geometry wide{.h = 17, .w = 17, .kh = 17, .kw = 17};
  std::vector<float> image(17 * 17);
  refuses<rp::value_error>(largest{.geometry = wide, .x = image.data(), .y = m.out, .index = index},
                           "window is 17x17; must have at most 256 taps, which one byte numbers");
  CHECK_NOTHROW(rp::run(rp::reference, largest{.geometry = wide, .x = image.data(), .y = m.out}));
  using back = rp::max_pool2d_backward_args<float>;
  refuses<rp::shape_error>(back{.geometry = g, .dy = m.a, .index = nullptr, .dx = m.out}, "index is a null pointer");
  refuses<rp::shape_error>(back{.geometry = g, .dy = m.out, .index = index, .dx = m.out}, "dx overlaps dy");
  refuses<rp::shape_error>(back{.geometry = g, .dy = m.a, .index = reinterpret_cast<std::uint8_t*>(m.out), .dx = m.out},
                           "dx overlaps index; must not overlap");
  auto* const last = reinterpret_cast<std::uint8_t*>(m.out + g.input_size()) - 1;  // the last byte of dx
  refuses<rp::shape_error>(back{.geometry = g, .dy = m.a, .index = last, .dx = m.out}, "dx overlaps index");
  refuses<rp::shape_error>(
      largest{.geometry = g, .x = m.a, .y = m.out, .index = last - (g.input_size() - g.output_size()) * 4},
      "index overlaps y");
  using mean = rp::avg_pool2d_args<float>;
  refuses<rp::shape_error>(mean{.geometry = g, .x = m.out + 1, .y = m.out}, "avg_pool2d: y overlaps x");
  refuses<rp::value_error>(
      mean{.geometry = {.h = 3, .w = 3, .kh = 2, .kw = 2, .padding = {0, 0, 0, 2}}, .x = m.a, .y = m.out},
      "must be less than the window");
  refuses<rp::shape_error>(
      mean{.geometry = {.h = 2, .w = 2, .kh = 4, .kw = 2, .stride = 2, .rounding = rp::rounding_rule::up},
           .x = m.a,
           .y = m.out},
      "avg_pool2d: height is 2 with its padding but the window reaches 4; must fit except for less than the stride");
  using mean_back = rp::avg_pool2d_backward_args<float>;
  refuses<rp::shape_error>(mean_back{.geometry = g, .dy = nullptr, .dx = m.out}, "dy is a null pointer");
}

TEST_CASE("an index that the forward pass never wrote is ignored") {
  const rp::pool2d_geometry g{.h = 2, .w = 2, .kh = 2, .kw = 2, .stride = 2, .padding = {1, 1, 1, 1}};
  const float dy[4] = {1, 2, 3, 4};
  const std::uint8_t index[4] = {255, 0, 3, 0};  // beyond the window, on the padding, on the padding, on pixel (1, 1)
  float dx[4];
  rp::run(rp::reference, rp::max_pool2d_backward_args<float>{.geometry = g, .dy = dy, .index = index, .dx = dx});
  CHECK(dx[0] + dx[1] + dx[2] + dx[3] == 4);
  CHECK(dx[3] == 4);
}

TEST_CASE("batch normalisation") {
  using forward = rp::batch_norm_args<float>;
  const forward good{.rows = 4,
                     .channels = 3,
                     .x = m.a,
                     .gamma = m.b,
                     .beta = m.b + 3,
                     .y = m.out,
                     .mean = m.out + 12,
                     .inverse = m.out + 15,
                     .moving_mean = m.out + 18,
                     .moving_variance = m.out + 21};
  auto args = good;
  args.rows = 0;
  refuses<rp::shape_error>(args, "batch_norm: x is 0x3; must have a row and a channel");
  args = good, args.rows = bad::huge;
  refuses<rp::shape_error>(args, "does not fit");
  for (const double epsilon : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    args = good, args.options.epsilon = epsilon;
    refuses<rp::value_error>(args, "must be at least 1.17549e-38 and finite");
  }
  for (const double momentum : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    args = good, args.options.momentum = momentum;
    refuses<rp::value_error>(args, "must be >= 0 and <= 1");
  }
  args = good, args.moving_mean = nullptr;
  refuses<rp::shape_error>(args, "one of moving_mean and moving_variance is a null pointer; must be both or none");
  args = good, args.inverse = m.out + 13;
  refuses<rp::shape_error>(args, "inverse overlaps mean; must not overlap");
  args = good, args.x = m.out + 3;
  refuses<rp::shape_error>(args, "y overlaps x; must not overlap");

  using backward = rp::batch_norm_backward_args<float>;
  const backward good_back{.rows = 4,
                           .channels = 3,
                           .x = m.a,
                           .gamma = m.b,
                           .mean = m.b + 3,
                           .inverse = m.b + 6,
                           .dy = m.c,
                           .dx = m.out,
                           .dgamma = m.out + 12,
                           .dbeta = m.out + 15};
  auto back = good_back;
  back.dy = m.out + 1, back.dgamma = m.d, back.dbeta = m.d + 3;
  refuses<rp::shape_error>(back, "dx overlaps dy in part; must be identical or disjoint");
  back = good_back, back.gamma = nullptr;
  refuses<rp::shape_error>(back, "gamma is a null pointer");
  back = good_back, back.dbeta = m.out + 14;
  refuses<rp::shape_error>(back, "dbeta overlaps dgamma");
  using infer = rp::batch_norm_inference_args<float>;
  refuses<rp::shape_error>(infer{.rows = 4,
                                 .channels = 3,
                                 .x = m.out + 1,
                                 .gamma = m.a,
                                 .beta = m.a,
                                 .mean = m.a,
                                 .variance = m.a,
                                 .y = m.out},
                           "y overlaps x in part");
}

TEST_CASE("folding a batch normalisation") {
  const rp::fold_batch_norm_args<float> good{.lines = 4,
                                             .channels = 3,
                                             .w = m.a,
                                             .gamma = m.b,
                                             .beta = m.b + 3,
                                             .mean = m.b + 6,
                                             .variance = m.b + 9,
                                             .folded_w = m.out,
                                             .folded_bias = m.out + 12};
  auto args = good;
  args.channels = 0;
  refuses<rp::shape_error>(args, "fold_batch_norm: x is 4x0; must have a row and a channel");
  args = good, args.options.epsilon = 0;
  refuses<rp::value_error>(args, "must be at least 1.17549e-38 and finite");
  args = good, args.variance = nullptr;
  refuses<rp::shape_error>(args, "variance is a null pointer");
  args = good, args.w = m.out + 1;
  refuses<rp::shape_error>(args, "folded_w overlaps w in part; must be identical or disjoint");
  args = good, args.folded_bias = m.out + 11;
  refuses<rp::shape_error>(args, "folded_bias overlaps folded_w");
  rp::tensor<float> w({3, 3, 2, 4}), each({5}), four({4});
  CHECK_THROWS_WITH_AS(rp::fold_batch_norm(rp::reference, w, {}, each, each, each, each, w, each),
                       "fold_batch_norm: w has 72 elements for 5 channels; must be a multiple", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::fold_batch_norm(rp::reference, w, each, four, four, four, four, w, four),
                       "fold_batch_norm: bias has 5 elements; must have 4", rp::shape_error);
}

TEST_CASE("layer normalisation") {
  using forward = rp::layer_norm_args<float>;
  const forward good{.rows = 4,
                     .channels = 3,
                     .x = m.a,
                     .gamma = m.b,
                     .beta = m.b + 3,
                     .y = m.out,
                     .mean = m.out + 12,
                     .inverse = m.out + 16};
  auto args = good;
  args.channels = 0;
  refuses<rp::shape_error>(args, "layer_norm: x is 4x0; must have a channel");
  args = good, args.rows = bad::huge;
  refuses<rp::shape_error>(args, "does not fit");
  for (const double epsilon : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    args = good, args.options.epsilon = epsilon;
    refuses<rp::value_error>(args, "must be at least 1.17549e-38 and finite");
  }
  args = good, args.mean = nullptr;
  refuses<rp::shape_error>(args, "one of mean and inverse is a null pointer; must be both or none");
  args = good, args.inverse = m.out + 13;
  refuses<rp::shape_error>(args, "inverse overlaps mean; must not overlap");
  args = good, args.x = m.out + 3;
  refuses<rp::shape_error>(args, "y overlaps x in part; must be identical or disjoint");

  using backward = rp::layer_norm_backward_args<float>;
  const backward good_back{.rows = 4,
                           .channels = 3,
                           .x = m.a,
                           .gamma = m.b,
                           .mean = m.b + 3,
                           .inverse = m.b + 7,
                           .dy = m.c,
                           .dx = m.out,
                           .dgamma = m.out + 12,
                           .dbeta = m.out + 15};
  auto back = good_back;
  back.dy = m.out + 1, back.dgamma = m.d, back.dbeta = m.d + 3;
  refuses<rp::shape_error>(back, "dx overlaps dy in part; must be identical or disjoint");
  back = good_back, back.gamma = nullptr;
  refuses<rp::shape_error>(back, "gamma is a null pointer");
  back = good_back, back.dbeta = m.out + 14;
  refuses<rp::shape_error>(back, "dbeta overlaps dgamma");
  back = good_back, back.channels = -1;
  refuses<rp::shape_error>(back, "layer_norm_backward: x is 4x-1; must have a channel");
}

TEST_CASE("group normalisation") {
  const rp::group_norm_args<float> good{.options = {.groups = 2},
                                        .images = 1,
                                        .pixels = 3,
                                        .channels = 4,
                                        .x = m.a,
                                        .gamma = m.b,
                                        .beta = m.b + 4,
                                        .y = m.out,
                                        .mean = m.out + 12,
                                        .inverse = m.out + 14};
  auto args = good;
  for (const rp::index_t groups : {-1, 0, 3, 8}) {
    args = good, args.options.groups = groups;
    refuses<rp::shape_error>(args, "must divide them");
  }
  args = good, args.pixels = 0;
  refuses<rp::shape_error>(args, "group_norm: an image is 0x4; must have a pixel and a channel");
  args = good, args.images = bad::huge;
  refuses<rp::shape_error>(args, "does not fit");
  args = good, args.options.epsilon = 0;
  refuses<rp::value_error>(args, "must be at least 1.17549e-38 and finite");
  args = good, args.inverse = nullptr;
  refuses<rp::shape_error>(args, "one of mean and inverse is a null pointer; must be both or none");
  args = good, args.x = m.out + 3;
  refuses<rp::shape_error>(args, "y overlaps x in part; must be identical or disjoint");
  rp::group_norm_backward_args<float> back{.images = 1,
                                           .pixels = 3,
                                           .channels = 4,
                                           .groups = 3,
                                           .x = m.a,
                                           .gamma = m.b,
                                           .mean = m.b + 4,
                                           .inverse = m.b + 6,
                                           .dy = m.c,
                                           .dx = m.out,
                                           .dgamma = m.out + 12,
                                           .dbeta = m.out + 16};
  refuses<rp::shape_error>(back, "group_norm_backward: groups is 3 of 4 channels; must divide them");
  back.groups = 2, back.dy = m.out + 1;
  refuses<rp::shape_error>(back, "dx overlaps dy in part; must be identical or disjoint");
  const rp::tensor<float> x({2, 3, 4}), mean({2, 2}), wrong({3, 2}), row({4});
  rp::tensor<float> y({2, 3, 4}), each({4});
  CHECK_THROWS_WITH_AS(rp::group_norm_backward(rp::reference, x, row, wrong, mean, x, y, each, each),
                       "group_norm_backward: mean is 3x2; must be 2x2", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::group_norm(rp::reference, row, row, row, each, {.groups = 2}),
                       "group_norm: x is 4; must be images of channels", rp::shape_error);
}

TEST_CASE("upsampling") {
  const rp::upsample_args<float> good{.n = 1, .h = 1, .w = 2, .c = 1, .x = m.a, .y = m.out};
  for (const rp::index_t factor : {0, -2}) {
    auto args = good;
    args.options.factor = {2, factor};
    refuses<rp::value_error>(args, "must be >= 1 in both directions");
  }
  auto args = good;
  args.w = 0;
  refuses<rp::shape_error>(args, "upsample: an image is 1x0x1; must have a pixel");
  args = good, args.h = bad::huge, args.options.factor = bad::huge;
  CHECK_THROWS_AS(check(args), rp::shape_error);
  args = good, args.x = m.out + 1;
  refuses<rp::shape_error>(args, "y overlaps x; must not overlap");
  refuses<rp::shape_error>(rp::upsample_backward_args<float>{.n = 1, .h = 1, .w = 2, .c = 1, .dx = m.out},
                           "dy is a null pointer");
  const rp::tensor<float> x({1, 2, 3, 1});
  rp::tensor<float> y({1, 4, 5, 1});
  CHECK_THROWS_WITH_AS(rp::upsample(rp::reference, x, y), "upsample: y is 1x4x5x1; must be 1x4x6x1", rp::shape_error);
}

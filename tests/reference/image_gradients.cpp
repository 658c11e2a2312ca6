// SPDX-License-Identifier: MIT
// Ops on images: checks values against independent formulas, backward passes against finite differences in double. The
// loss is
// Σ weight(i)·y(i), so dy = weight.
#include <doctest/doctest.h>

#include <limits>

#include <ridgepoint/reference/convolution.hpp>
#include <ridgepoint/reference/normalisation.hpp>
#include <ridgepoint/reference/pooling.hpp>

#include "support/gradient.hpp"
#include "support/near.hpp"
#include "support/random_tensor.hpp"

namespace rp = ridgepoint;
using rp::index_t;
using rp::reference;
using rp::tensor;

namespace {
constexpr rp::conv2d_geometry odd{.n = 2,
                                  .h = 5,
                                  .w = 6,
                                  .c = 3,
                                  .f = 2,
                                  .kh = 3,
                                  .kw = 2,
                                  .stride = {2, 1},
                                  .padding = {1, 2, 0, 1},
                                  .dilation = {1, 2}};
}  // namespace

TEST_CASE("conv2d equals the explicit product of patches and filter") {
  const rp::conv2d_geometry& g = odd;
  const auto x = random_tensor({g.n, g.h, g.w, g.c}, 1), w = random_tensor({g.kh, g.kw, g.c, g.f}, 2);
  const auto bias = random_tensor({g.f}, 3);
  tensor<double> y({g.n, g.oh(), g.ow(), g.f});
  rp::run(reference,
          rp::conv2d_args<double>{.geometry = g, .x = x.data(), .w = w.data(), .bias = bias.data(), .y = y.data()});
  for (index_t i = 0; i < g.n; ++i)
    for (index_t oh = 0; oh < g.oh(); ++oh)
      for (index_t ow = 0; ow < g.ow(); ++ow)
        for (index_t f = 0; f < g.f; ++f) {
          double sum = bias[f];
          for (index_t kh = 0; kh < g.kh; ++kh)
            for (index_t kw = 0; kw < g.kw; ++kw)
              for (index_t c = 0; c < g.c; ++c) {
                const index_t h = oh * 2 - 1 + kh, column = ow + 2 * kw;
                if (h < 0 || h >= g.h || column >= g.w) continue;
                sum += x[((i * g.h + h) * g.w + column) * g.c + c] * w[((kh * g.kw + kw) * g.c + c) * g.f + f];
              }
          CHECK(y[((i * g.oh() + oh) * g.ow() + ow) * g.f + f] == near(sum, 1e-12));
        }
}

TEST_CASE("a 1x1 convolution is a dense layer at every pixel, with the same bias and activation") {
  const rp::conv2d_geometry g{.n = 1, .h = 2, .w = 2, .c = 1, .f = 2};
  const double x[] = {1, -2, 3, 0}, w[] = {2, -1}, bias[] = {0.5, 0.25};
  double y[8];
  rp::run(reference,
          rp::conv2d_args<double>{.geometry = g, .x = x, .w = w, .bias = bias, .y = y, .act = rp::activation::relu});
  const double expected[] = {2.5, 0, 0, 2.25, 6.5, 0, 0.5, 0.25};
  CHECK(std::equal(y, y + 8, expected));
  const double residual[] = {-4, 1, 2, 8, -0.5, 0, 0, -1};
  const double leaked[] = {-0.75, 0.25, -0.75, 10.25, 6, -1.375, 0.5, -0.375};
  rp::run(reference, rp::conv2d_args<double>{.geometry = g,
                                             .x = x,
                                             .w = w,
                                             .bias = bias,
                                             .y = y,
                                             .act = rp::activation::leaky_relu,
                                             .residual = residual,
                                             .slope = 0.5});
  CHECK(std::equal(y, y + 8, leaked));
  const double clipped[] = {0, 0.25, 0, 6, 6, 0, 0.5, 0};
  rp::run(reference,
          rp::conv2d_args<double>{
              .geometry = g, .x = x, .w = w, .bias = bias, .y = y, .act = rp::activation::relu6, .residual = residual});
  CHECK(std::equal(y, y + 8, clipped));
}

TEST_CASE("a convolution with a folded batch normalisation equals the two in sequence") {
  const rp::conv2d_geometry g = odd;
  const index_t pixels = g.n * g.oh() * g.ow();
  const auto x = random_tensor({g.n, g.h, g.w, g.c}, 1), w = random_tensor({g.kh, g.kw, g.c, g.f}, 2),
             bias = random_tensor({g.f}, 3), gamma = random_tensor({g.f}, 4), beta = random_tensor({g.f}, 5),
             mean = random_tensor({g.f}, 6), variance = random_tensor({g.f}, 7, 0.1, 2);
  tensor<double> y({pixels, g.f}), want({pixels, g.f}), folded(w.shape()), folded_bias({g.f});
  for (const bool biased : {false, true}) {
    rp::run(reference,
            rp::conv2d_args<double>{
                .geometry = g, .x = x.data(), .w = w.data(), .bias = biased ? bias.data() : nullptr, .y = y.data()});
    rp::batch_norm_inference(reference, y, gamma, beta, mean, variance, want, {.epsilon = 0.01});
    if (biased)
      rp::fold_batch_norm(reference, w, bias, gamma, beta, mean, variance, folded, folded_bias, {.epsilon = 0.01});
    else rp::fold_batch_norm(reference, w, {}, gamma, beta, mean, variance, folded, folded_bias, {.epsilon = 0.01});
    rp::run(reference,
            rp::conv2d_args<double>{
                .geometry = g, .x = x.data(), .w = folded.data(), .bias = folded_bias.data(), .y = y.data()});
    for (index_t i = 0; i < y.size(); ++i) CHECK(y[i] == near(want[i], 1e-12));
  }
}

TEST_CASE("conv2d in groups equals a conv2d on every group's channels, with filters side by side") {
  rp::conv2d_geometry g = odd, one = odd;
  g.groups = 2, g.c = 2 * one.c, g.f = 2 * one.f;
  const auto x = random_tensor({g.n, g.h, g.w, g.c}, 1), w = random_tensor({g.kh, g.kw, one.c, g.f}, 2),
             bias = random_tensor({g.f}, 3);
  tensor<double> y({g.n, g.oh(), g.ow(), g.f});
  rp::run(reference,
          rp::conv2d_args<double>{.geometry = g, .x = x.data(), .w = w.data(), .bias = bias.data(), .y = y.data()});
  const auto channels = [](const tensor<double>& all, index_t first, index_t count) {
    const index_t of = all.shape()[-1];
    tensor<double> part({all.size() / of * count});
    for (index_t i = 0; i < part.size(); ++i) part[i] = all[i / count * of + first + i % count];
    return part;
  };
  for (index_t group = 0; group < 2; ++group) {
    tensor<double> part({g.n * g.oh() * g.ow() * one.f});
    rp::run(reference, rp::conv2d_args<double>{.geometry = one,
                                               .x = channels(x, group * one.c, one.c).data(),
                                               .w = channels(w, group * one.f, one.f).data(),
                                               .bias = bias.data() + group * one.f,
                                               .y = part.data()});
    const tensor<double> mine = channels(y, group * one.f, one.f);
    for (index_t i = 0; i < part.size(); ++i) CHECK(mine[i] == part[i]);
  }
}

static void check_conv2d_gradients(const rp::conv2d_geometry& g) {
  const index_t c = g.c / g.groups;
  auto x = random_tensor({g.n, g.h, g.w, g.c}, 4), w = random_tensor({g.kh, g.kw, c, g.f}, 5);
  auto bias = random_tensor({g.f}, 6);
  const rp::shape out{g.n, g.oh(), g.ow(), g.f};
  const auto weight = random_tensor(out, 7);
  tensor<double> y(out), dx({g.n, g.h, g.w, g.c}), dw({g.kh, g.kw, c, g.f}), db({g.f});
  const auto loss = [&] {
    rp::run(reference,
            rp::conv2d_args<double>{.geometry = g, .x = x.data(), .w = w.data(), .bias = bias.data(), .y = y.data()});
    return dot(weight, y);
  };
  rp::run(reference,
          rp::conv2d_backward_data_args<double>{.geometry = g, .dy = weight.data(), .w = w.data(), .dx = dx.data()});
  rp::run(reference, rp::conv2d_backward_weights_args<double>{
                         .geometry = g, .x = x.data(), .dy = weight.data(), .dw = dw.data(), .db = db.data()});
  check_gradient(x.values(), dx.values(), loss);
  check_gradient(w.values(), dw.values(), loss);
  check_gradient(bias.values(), db.values(), loss);
}
TEST_CASE("conv2d: the gradients for x, filter and bias, also in groups") {
  check_conv2d_gradients(odd);
  rp::conv2d_geometry parted = odd;
  parted.groups = 2, parted.c = 6, parted.f = 4;
  check_conv2d_gradients(parted);
}

TEST_CASE("depthwise: equals a conv2d with a diagonal filter; its gradients") {
  const rp::depthwise_geometry g{.n = 2,
                                 .h = 5,
                                 .w = 4,
                                 .c = 3,
                                 .multiplier = 2,
                                 .kh = 3,
                                 .kw = 2,
                                 .stride = {1, 2},
                                 .padding = {1, 0, 1, 1},
                                 .dilation = {2, 1}};
  auto x = random_tensor({g.n, g.h, g.w, g.c}, 8), w = random_tensor({g.kh, g.kw, g.c, g.multiplier}, 9);
  auto bias = random_tensor({g.f()}, 10);
  const rp::shape out{g.n, g.oh(), g.ow(), g.f()};
  const auto weight = random_tensor(out, 11);
  tensor<double> y(out), same(out), dx({g.n, g.h, g.w, g.c}), dw({g.kh, g.kw, g.c, g.multiplier}), db({g.f()});
  const auto loss = [&] {
    rp::run(reference, rp::depthwise_conv2d_args<double>{
                           .geometry = g, .x = x.data(), .w = w.data(), .bias = bias.data(), .y = y.data()});
    return dot(weight, y);
  };
  static_cast<void>(loss());
  tensor<double> diagonal({g.kh, g.kw, g.c, g.f()});
  for (index_t tap = 0; tap < g.kh * g.kw; ++tap)
    for (index_t f = 0; f < g.f(); ++f) diagonal[(tap * g.c + f / g.multiplier) * g.f() + f] = w[tap * g.f() + f];
  const rp::conv2d_geometry full{.n = g.n,
                                 .h = g.h,
                                 .w = g.w,
                                 .c = g.c,
                                 .f = g.f(),
                                 .kh = g.kh,
                                 .kw = g.kw,
                                 .stride = g.stride,
                                 .padding = g.padding,
                                 .dilation = g.dilation};
  rp::run(reference, rp::conv2d_args<double>{
                         .geometry = full, .x = x.data(), .w = diagonal.data(), .bias = bias.data(), .y = same.data()});
  for (index_t i = 0; i < y.size(); ++i) CHECK(y[i] == near(same[i], 1e-12));

  rp::run(reference, rp::depthwise_conv2d_backward_data_args<double>{
                         .geometry = g, .dy = weight.data(), .w = w.data(), .dx = dx.data()});
  rp::run(reference, rp::depthwise_conv2d_backward_weights_args<double>{
                         .geometry = g, .x = x.data(), .dy = weight.data(), .dw = dw.data(), .db = db.data()});
  check_gradient(x.values(), dx.values(), loss);
  check_gradient(w.values(), dw.values(), loss);
  check_gradient(bias.values(), db.values(), loss);
}

TEST_CASE("maxima: the first of equal ones, never the padding, NaN wins") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const rp::pool2d_geometry g{.h = 3, .w = 3, .kh = 2, .kw = 2, .stride = 2, .padding = {1, 0, 1, 0}};
  double y[4];
  std::uint8_t index[4];
  const double x[] = {-5, 2, 2, -inf, 1, 1, -inf, nan, 3};
  rp::run(reference, rp::max_pool2d_args<double>{.geometry = g, .x = x, .y = y, .index = index});
  CHECK((y[0] == -5 && y[1] == 2 && y[2] == -inf && std::isnan(y[3])));
  CHECK((index[0] == 3 && index[1] == 2 && index[2] == 1 && index[3] == 2));
}

TEST_CASE("pooling: the gradients, with separate and overlapping windows, padded and global") {
  for (const rp::pool2d_geometry& g :
       {rp::pool2d_geometry{.n = 2, .h = 4, .w = 6, .c = 2, .kh = 2, .kw = 2, .stride = 2},
        rp::pool2d_geometry{.n = 1, .h = 5, .w = 5, .c = 2, .kh = 3, .kw = 3, .stride = 2, .padding = {1, 1, 0, 1}},
        rp::pool2d_geometry{.n = 1,
        .h = 4,
        .w = 6,
        .c = 2,
        .kh = 3,
        .kw = 3,
        .stride = 2,
        .padding = {1, 1, 0, 0},
        .rounding = rp::rounding_rule::up},
        rp::pool2d_geometry{.n = 2, .h = 3, .w = 4, .c = 3, .kh = 3, .kw = 4}}) {
    auto x = random_tensor({g.n, g.h, g.w, g.c}, 12);
    const rp::shape out{g.n, g.oh(), g.ow(), g.c};
    const auto weight = random_tensor(out, 13);
    tensor<double> y(out), dx({g.n, g.h, g.w, g.c});
    std::vector<std::uint8_t> index(static_cast<std::size_t>(y.size()));
    const auto largest = [&] {
      rp::run(reference,
              rp::max_pool2d_args<double>{.geometry = g, .x = x.data(), .y = y.data(), .index = index.data()});
      return dot(weight, y);
    };
    static_cast<void>(largest());
    rp::run(reference, rp::max_pool2d_backward_args<double>{
                           .geometry = g, .dy = weight.data(), .index = index.data(), .dx = dx.data()});
    check_gradient(x.values(), dx.values(), largest);
    for (const rp::mean_over over : {rp::mean_over::image, rp::mean_over::window}) {
      rp::run(reference,
              rp::avg_pool2d_backward_args<double>{.geometry = g, .dy = weight.data(), .dx = dx.data(), .over = over});
      check_gradient(x.values(), dx.values(), [&] {
        rp::run(reference, rp::avg_pool2d_args<double>{.geometry = g, .x = x.data(), .y = y.data(), .over = over});
        return dot(weight, y);
      });
    }
  }
}

TEST_CASE("a mean excludes pixels outside the image") {
  const rp::pool2d_geometry g{.h = 2, .w = 2, .kh = 2, .kw = 2, .padding = {1, 1, 1, 1}};
  const double x[] = {1, 2, 3, 6};
  double y[9];
  rp::run(reference, rp::avg_pool2d_args<double>{.geometry = g, .x = x, .y = y});
  const double expected[] = {1, 1.5, 2, 2, 3, 4, 3, 4.5, 6};
  CHECK(std::equal(y, y + 9, expected));
}

TEST_CASE("a mean over windows counts their padding as zeros, and nothing past it") {
  const rp::pool2d_geometry g{.h = 2, .w = 2, .kh = 2, .kw = 2, .padding = {1, 1, 1, 1}};
  const double x[] = {1, 2, 3, 6};
  double y[9];
  rp::run(reference, rp::avg_pool2d_args<double>{.geometry = g, .x = x, .y = y, .over = rp::mean_over::window});
  const double expected[] = {0.25, 0.75, 0.5, 1, 3, 2, 0.75, 2.25, 1.5};
  CHECK(std::equal(y, y + 9, expected));
  // as torch.nn.AvgPool2d((3, 1), (3, 1), (1, 0), ceil_mode=True): the last window ends after the padding
  const rp::pool2d_geometry up{
      .h = 6, .w = 1, .kh = 3, .kw = 1, .stride = {3, 1}, .padding = {1, 1, 0, 0}, .rounding = rp::rounding_rule::up};
  REQUIRE(up.oh() == 3);
  const double column[] = {3, 6, 12, 24, 48, 96};
  double means[3];
  rp::run(reference,
          rp::avg_pool2d_args<double>{.geometry = up, .x = column, .y = means, .over = rp::mean_over::window});
  CHECK((means[0] == 3 && means[1] == 28 && means[2] == 48));
}

TEST_CASE("batch normalisation: mean 0, variance 1, then gamma and beta; moving statistics; its gradients") {
  const index_t rows = 7, c = 3;
  auto x = random_tensor({rows, c}, 14), gamma = random_tensor({c}, 15, 0.5, 2), beta = random_tensor({c}, 16);
  const auto weight = random_tensor({rows, c}, 17);
  tensor<double> y({rows, c}), mean({c}), inverse({c}), dx({rows, c}), dgamma({c}), dbeta({c});
  tensor<double> moving_mean({c}), moving_variance({c});
  for (double& v : moving_variance.values()) v = 1;
  rp::batch_norm_args<double> forward{.options = {.epsilon = 1e-3, .momentum = 0.9},
                                      .rows = rows,
                                      .channels = c,
                                      .x = x.data(),
                                      .gamma = gamma.data(),
                                      .beta = beta.data(),
                                      .y = y.data(),
                                      .mean = mean.data(),
                                      .inverse = inverse.data(),
                                      .moving_mean = moving_mean.data(),
                                      .moving_variance = moving_variance.data()};
  rp::run(reference, forward);
  for (index_t j = 0; j < c; ++j) {
    double sum = 0, squares = 0, normal = 0;
    for (index_t i = 0; i < rows; ++i) sum += x[i * c + j];
    for (index_t i = 0; i < rows; ++i) squares += std::pow(x[i * c + j] - sum / rows, 2);
    for (index_t i = 0; i < rows; ++i) normal += std::pow((y[i * c + j] - beta[j]) / gamma[j], 2);
    CHECK(mean[j] == near(sum / rows));
    CHECK(inverse[j] == near(1 / std::sqrt(squares / rows + 1e-3)));
    CHECK(normal / rows == near(squares / rows / (squares / rows + 1e-3)));
    CHECK(moving_mean[j] == near(0.1 * sum / rows));
    CHECK(moving_variance[j] == near(0.9 + 0.1 * squares / (rows - 1)));
  }
  forward.moving_mean = forward.moving_variance = nullptr;
  const auto loss = [&] {
    rp::run(reference, forward);
    return dot(weight, y);
  };
  rp::run(reference, rp::batch_norm_backward_args<double>{.rows = rows,
                                                          .channels = c,
                                                          .x = x.data(),
                                                          .gamma = gamma.data(),
                                                          .mean = mean.data(),
                                                          .inverse = inverse.data(),
                                                          .dy = weight.data(),
                                                          .dx = dx.data(),
                                                          .dgamma = dgamma.data(),
                                                          .dbeta = dbeta.data()});
  check_gradient(x.values(), dx.values(), loss);
  check_gradient(gamma.values(), dgamma.values(), loss);
  check_gradient(beta.values(), dbeta.values(), loss);
}

TEST_CASE("inference batch normalisation uses the given statistics; one row has no variance") {
  const double x[] = {3, -1}, gamma[] = {2, 1}, beta[] = {0.5, 0}, mean[] = {1, 1}, variance[] = {3, 0};
  double y[2], kept[2], inverse[2], moving_mean[2] = {}, moving_variance[2] = {};
  rp::run(reference, rp::batch_norm_inference_args<double>{.options = {.epsilon = 1},
                                                           .rows = 1,
                                                           .channels = 2,
                                                           .x = x,
                                                           .gamma = gamma,
                                                           .beta = beta,
                                                           .mean = mean,
                                                           .variance = variance,
                                                           .y = y});
  CHECK((y[0] == 2.5 && y[1] == -2));
  rp::run(reference, rp::batch_norm_args<double>{.rows = 1,
                                                 .channels = 2,
                                                 .x = x,
                                                 .gamma = gamma,
                                                 .beta = beta,
                                                 .y = y,
                                                 .mean = kept,
                                                 .inverse = inverse,
                                                 .moving_mean = moving_mean,
                                                 .moving_variance = moving_variance});
  CHECK((y[0] == 0.5 && y[1] == 0 && moving_variance[0] == 0));
}

TEST_CASE("layer normalisation: every row of mean 0 and variance 1, then gamma and beta; its gradients") {
  const index_t rows = 4, c = 7;
  auto x = random_tensor({rows, c}, 14), gamma = random_tensor({c}, 15, 0.5, 2), beta = random_tensor({c}, 16);
  const auto weight = random_tensor({rows, c}, 17);
  tensor<double> y({rows, c}), dx({rows, c});
  std::vector<double> mean(4), inverse(4);
  tensor<double> dgamma({c}), dbeta({c});
  rp::layer_norm(reference, x, gamma, beta, y, {.mean = mean, .inverse = inverse}, {.epsilon = 1e-3});
  for (index_t i = 0; i < rows; ++i) {
    double sum = 0, squares = 0, normal = 0;
    for (index_t j = 0; j < c; ++j) sum += x[i * c + j];
    for (index_t j = 0; j < c; ++j) squares += std::pow(x[i * c + j] - sum / c, 2);
    for (index_t j = 0; j < c; ++j) normal += std::pow((y[i * c + j] - beta[j]) / gamma[j], 2);
    CHECK(mean[static_cast<std::size_t>(i)] == near(sum / c));
    CHECK(inverse[static_cast<std::size_t>(i)] == near(1 / std::sqrt(squares / c + 1e-3)));
    CHECK(normal / c == near(squares / c / (squares / c + 1e-3)));
  }
  const auto loss = [&] {
    rp::layer_norm(reference, x, gamma, beta, y, {}, {.epsilon = 1e-3});
    return dot(weight, y);
  };
  rp::layer_norm_backward(reference, x, gamma, mean, inverse, weight, dx, dgamma, dbeta);
  check_gradient(x.values(), dx.values(), loss);
  check_gradient(gamma.values(), dgamma.values(), loss);
  check_gradient(beta.values(), dbeta.values(), loss);
}

TEST_CASE("group normalisation: one group of one pixel is layer normalisation; its gradients") {
  const index_t images = 2, pixels = 3, c = 6;
  auto x = random_tensor({images, pixels, c}, 14), gamma = random_tensor({c}, 15, 0.5, 2),
       beta = random_tensor({c}, 16);
  const auto weight = random_tensor({images, pixels, c}, 17);
  for (const index_t groups : {1, 2, 6}) {
    tensor<double> y({images, pixels, c}), dx = y, mean({images, groups}), inverse = mean, dgamma({c}), dbeta({c});
    const rp::group_norm_options options{.groups = groups, .epsilon = 1e-3};
    rp::group_norm(reference, x, gamma, beta, y, options, {.mean = mean, .inverse = inverse});
    const auto loss = [&] {
      rp::group_norm(reference, x, gamma, beta, y, options);
      return dot(weight, y);
    };
    rp::group_norm_backward(reference, x, gamma, mean, inverse, weight, dx, dgamma, dbeta);
    check_gradient(x.values(), dx.values(), loss);
    check_gradient(gamma.values(), dgamma.values(), loss);
    check_gradient(beta.values(), dbeta.values(), loss);
  }
  const rp::tensor_view<const double, 2> rows(x.data(), {images * pixels, c});
  tensor<double> by_groups({images * pixels, c}), by_rows = by_groups;
  rp::group_norm(reference, rows, gamma, beta, by_groups, {.groups = 1});
  rp::layer_norm(reference, rows, gamma, beta, by_rows);
  for (index_t i = 0; i < by_rows.size(); ++i) CHECK(by_groups[i] == near(by_rows[i]));
}

TEST_CASE("upsampling: pixels repeated, or interpolated between their centres; its gradient") {
  const double pixels[] = {1, 5};
  const rp::tensor_view<const double, 4> line(pixels, {1, 1, 2, 1});
  tensor<double> repeated({1, 1, 4, 1}), between = repeated;
  rp::upsample(reference, line, repeated, {.factor = {1, 2}});
  rp::upsample(reference, line, between, {.factor = {1, 2}, .how = rp::upsampling::bilinear});
  const double twice[] = {1, 1, 5, 5}, blends[] = {1, 2, 4, 5};
  CHECK(std::equal(twice, twice + 4, repeated.begin()));
  CHECK(std::equal(blends, blends + 4, between.begin()));
  for (const auto how : {rp::upsampling::nearest, rp::upsampling::bilinear})
    for (const rp::spatial factor : {rp::spatial(2), rp::spatial(3, 4)}) {
      auto x = random_tensor({2, 3, 2, 2}, 14);
      const auto weight = random_tensor({2, 3 * factor.h, 2 * factor.w, 2}, 15);
      tensor<double> y(weight.shape()), dx(x.shape());
      const auto loss = [&] {
        rp::upsample(reference, x, y, {.factor = factor, .how = how});
        return dot(weight, y);
      };
      rp::upsample_backward(reference, weight, dx, {.factor = factor, .how = how});
      check_gradient(x.values(), dx.values(), loss);
    }
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/onednn/normalisation.hpp>
#include <ridgepoint/ops/prepare.hpp>
#include <ridgepoint/reference/normalisation.hpp>

#include "tensors.hpp"

namespace rp = ridgepoint;
using rp::index_t;
using rp::tensor;

namespace {

struct rows_by_channels {
  index_t rows, channels;
};
constexpr rows_by_channels batch_norm_shapes[] = {{1, 1},    {1, 16},  {2, 3},    {7, 8},    {60, 24},
                                                  {257, 64}, {300, 1}, {33, 100}, {4000, 17}};

/// Returns the channel's value of an index into (rows, channels).
double of(const tensor<float>& per_channel, index_t i) {
  return static_cast<double>(per_channel[i % per_channel.size()]);
}

/// Results of a training step's forward pass.
struct normalised {
  tensor<float> y, mean, inverse, moving_mean, moving_variance;

  template <class Backend>
  normalised(const Backend& on, index_t rows, index_t channels, const tensor<float>& x, const tensor<float>& gamma,
             const tensor<float>& beta, const rp::batch_norm_options& options)
      : y(test::unwritten(rows * channels)),
        mean(test::unwritten(channels)),
        inverse(mean),
        moving_mean(test::values(channels, 4)),
        moving_variance(test::values(channels, 5, 0.5, 2)) {
    const rp::batch_norm_args<float> a{.options = options,
                                       .rows = rows,
                                       .channels = channels,
                                       .x = x.data(),
                                       .gamma = gamma.data(),
                                       .beta = beta.data(),
                                       .y = y.data(),
                                       .mean = mean.data(),
                                       .inverse = inverse.data(),
                                       .moving_mean = moving_mean.data(),
                                       .moving_variance = moving_variance.data()};
    CHECK(rp::run(on, a) == receipt(a));
  }
};

}  // namespace

TEST_CASE("batch_norm: results and statistics match the definition") {
  const rp::onednn on(1);
  const rp::batch_norm_options options{.epsilon = 1e-3, .momentum = 0.9};
  for (const rows_by_channels shape : batch_norm_shapes) {
    const index_t rows = shape.rows, channels = shape.channels;
    CAPTURE(rows);
    CAPTURE(channels);
    const auto x = test::values(rows * channels, 1), gamma = test::values(channels, 2),
               beta = test::values(channels, 3);
    const normalised got(on, rows, channels, x, gamma, beta, options),
        expected(rp::reference, rows, channels, x, gamma, beta, options);
    // Magnitudes are up to 1: the error of the sum, and of the variance computed as E(x²) − mean².
    const double mean_error = test::gamma(rows + 2), variance_error = 4 * test::gamma(rows + 4);
    const auto inverse_error = [&](index_t i) {  // relative: half of the variance's, and the root's own
      const double inverse = of(expected.inverse, i);
      return 0.5 * variance_error * inverse * inverse + test::gamma(8);
    };
    test::check_within("mean", got.mean, expected.mean, [&](index_t) { return mean_error; });
    test::check_within("inverse", got.inverse, expected.inverse,
                       [&](index_t i) { return inverse_error(i) * of(expected.inverse, i); });
    test::check_within("y", got.y, expected.y, [&](index_t i) {
      const double scale = std::abs(of(gamma, i)) * of(expected.inverse, i);
      return scale * (mean_error + 2 * (inverse_error(i) + test::gamma(4))) + test::gamma(4) * std::abs(of(beta, i));
    });
    test::check_within("moving mean", got.moving_mean, expected.moving_mean,
                       [&](index_t) { return 0.1 * mean_error + test::gamma(8); });
    test::check_within("moving variance", got.moving_variance, expected.moving_variance,
                       [&](index_t) { return 0.2 * variance_error + 4 * test::gamma(8); });
  }
}

TEST_CASE("batch_norm_backward: with dx, without, and in place of dy") {
  const rp::onednn on(1);
  for (const rows_by_channels shape : batch_norm_shapes) {
    const index_t rows = shape.rows, channels = shape.channels;
    CAPTURE(rows);
    CAPTURE(channels);
    const index_t all = rows * channels;
    const auto x = test::values(all, 1), gamma = test::values(channels, 2), mean = test::values(channels, 3, -0.1, 0.1),
               inverse = test::values(channels, 4, 0.5, 2), dy = test::values(all, 5);
    struct gradients {
      tensor<float> dx, dgamma, dbeta;
    };
    const auto backward = [&](const auto& where, const tensor<float>& from, float* dx) {
      gradients r{test::unwritten(all), test::unwritten(channels), test::unwritten(channels)};
      const rp::batch_norm_backward_args<float> a{.rows = rows,
                                                  .channels = channels,
                                                  .x = x.data(),
                                                  .gamma = gamma.data(),
                                                  .mean = mean.data(),
                                                  .inverse = inverse.data(),
                                                  .dy = from.data(),
                                                  .dx = dx,
                                                  .dgamma = r.dgamma.data(),
                                                  .dbeta = r.dbeta.data()};
      CHECK(rp::run(where, a) == receipt(a));
      return r;
    };
    tensor<float> dx = test::unwritten(all), dx0 = dx, in_place = dy;
    const gradients got = backward(on, dy, dx.data()), without = backward(on, dy, nullptr),
                    over = backward(on, in_place, in_place.data()), expected = backward(rp::reference, dy, dx0.data());
    tensor<float> sums({channels}), products({channels});  // of magnitudes
    for (index_t i = 0; i < all; ++i) {
      const index_t c = i % channels;
      sums[c] += std::abs(dy[i]);
      products[c] += std::abs(dy[i] * (x[i] - mean[c])) * inverse[c];
    }
    const double rounding = test::gamma(rows + 48);  // the sums, and a power for the inverse and back
    for (const gradients* g : {&got, &without, &over}) {
      test::check_within("dbeta", g->dbeta, expected.dbeta, [&](index_t c) { return rounding * of(sums, c); });
      test::check_within("dgamma", g->dgamma, expected.dgamma, [&](index_t c) { return rounding * of(products, c); });
    }
    const auto dx_error = [&](index_t i) {
      const double scale = std::abs(of(gamma, i)) * of(inverse, i), n = static_cast<double>(rows),
                   away = std::abs(static_cast<double>(x[i]) - of(mean, i)) * of(inverse, i);
      return rounding * scale * (std::abs(static_cast<double>(dy[i])) + (of(sums, i) + away * of(products, i)) / n);
    };
    test::check_within("dx", dx, dx0, dx_error);
    test::check_within("dx over dy", in_place, dx0, dx_error);
  }
}

TEST_CASE("batch_norm_inference: to separate memory and in place") {
  const rp::onednn on(1);
  for (const rows_by_channels shape : batch_norm_shapes) {
    const index_t rows = shape.rows, channels = shape.channels;
    CAPTURE(rows);
    CAPTURE(channels);
    const index_t all = rows * channels;
    const auto x = test::values(all, 1), gamma = test::values(channels, 2), beta = test::values(channels, 3),
               mean = test::values(channels, 4), variance = test::values(channels, 5, 0.5, 2);
    tensor<float> y = test::unwritten(all), expected = y, in_place = x;
    const auto infer = [&](const auto& where, const float* from, float* to) {
      const rp::batch_norm_inference_args<float> a{.rows = rows,
                                                   .channels = channels,
                                                   .x = from,
                                                   .gamma = gamma.data(),
                                                   .beta = beta.data(),
                                                   .mean = mean.data(),
                                                   .variance = variance.data(),
                                                   .y = to};
      CHECK(rp::run(where, a) == receipt(a));
    };
    infer(on, x.data(), y.data());
    infer(on, in_place.data(), in_place.data());
    infer(rp::reference, x.data(), expected.data());
    const auto error = [&](index_t i) {
      const double scale = std::abs(of(gamma, i)) / std::sqrt(of(variance, i));
      return test::gamma(12) *
             (scale * (std::abs(static_cast<double>(x[i])) + std::abs(of(mean, i))) + std::abs(of(beta, i)));
    };
    test::check_within("y", y, expected, error);
    test::check_within("y over x", in_place, expected, error);
  }
}

TEST_CASE("batch_norm works without moving statistics; a prepared step reports the normalisation as its algorithm") {
  const rp::onednn on(1);
  const auto x = test::values(40 * 8, 1), gamma = test::values(8, 2), beta = test::values(8, 3);
  auto y = test::unwritten(40 * 8), mean = test::unwritten(8), inverse = mean;
  const rp::prepared call(on, rp::batch_norm_args<float>{.rows = 40,
                                                         .channels = 8,
                                                         .x = x.data(),
                                                         .gamma = gamma.data(),
                                                         .beta = beta.data(),
                                                         .y = y.data(),
                                                         .mean = mean.data(),
                                                         .inverse = inverse.data()});
  CHECK(std::isnan(mean[0]));
  CHECK(std::string(call.info().algorithm).find("eltwise") == std::string::npos);
  call.run();
  CHECK(!std::isnan(y[0]));
  float none[1] = {1};
  CHECK_THROWS_AS(
      rp::run(on,
              rp::batch_norm_args<float>{
                  .rows = 0, .channels = 1, .x = none, .gamma = none, .beta = none, .y = none, .mean = none}),
      rp::shape_error);
}

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
struct matrix_extents {
  index_t rows, channels;
};
constexpr matrix_extents layer_norm_shapes[] = {{0, 4},  {1, 1},    {16, 1},   {3, 2},    {8, 7},
                                                {4, 60}, {64, 257}, {33, 100}, {17, 4000}};
}  // namespace

TEST_CASE("layer_norm: results and statistics match the definition, with and without saved statistics, also in place") {
  const rp::onednn on(1);
  for (const matrix_extents shape : layer_norm_shapes) {
    const index_t rows = shape.rows, channels = shape.channels, all = rows * channels;
    CAPTURE(rows);
    CAPTURE(channels);
    const auto x = test::values(all, 1), gamma = test::values(channels, 2), beta = test::values(channels, 3);
    struct normalised {
      tensor<float> y, mean, inverse;
    };
    const auto forward = [&](const auto& where) {
      normalised r{test::unwritten(all), test::unwritten(rows), test::unwritten(rows)};
      const rp::layer_norm_args<float> a{{},          rows,       channels,      x.data(),        gamma.data(),
                                         beta.data(), r.y.data(), r.mean.data(), r.inverse.data()};
      CHECK(rp::run(where, a) == receipt(a));
      return r;
    };
    const normalised got = forward(on), expected = forward(rp::reference);
    tensor<float> alone = test::unwritten(all), in_place = x;
    for (tensor<float>* y : {&alone, &in_place})
      rp::run(
          on,
          rp::layer_norm_args<float>{
              {}, rows, channels, y == &in_place ? in_place.data() : x.data(), gamma.data(), beta.data(), y->data()});
    // Magnitudes are up to 1: the error of the sum, and of the variance computed as E(x²) − mean².
    const double mean_error = test::gamma(channels + 2), variance_error = 4 * test::gamma(channels + 4);
    const auto inverse_of = [&](index_t row) { return static_cast<double>(expected.inverse[row]); };
    const auto inverse_error = [&](index_t row) {  // relative: half of the variance's, and the root's own
      return 0.5 * variance_error * inverse_of(row) * inverse_of(row) + test::gamma(8);
    };
    test::check_within("mean", got.mean, expected.mean, [&](index_t) { return mean_error; });
    test::check_within("inverse", got.inverse, expected.inverse,
                       [&](index_t row) { return inverse_error(row) * inverse_of(row); });
    for (const tensor<float>* y : {&got.y, &std::as_const(alone), &std::as_const(in_place)})
      test::check_within("y", *y, expected.y, [&](index_t i) {
        const index_t row = i / channels, c = i % channels;
        const double scale = std::abs(static_cast<double>(gamma[c])) * inverse_of(row);
        return scale * (mean_error + 2 * (inverse_error(row) + test::gamma(4))) +
               test::gamma(4) * std::abs(static_cast<double>(beta[c]));
      });
  }
}

TEST_CASE("layer_norm_backward: with dx, without, and in place of dy") {
  const rp::onednn on(1);
  for (const matrix_extents shape : layer_norm_shapes) {
    const index_t rows = shape.rows, channels = shape.channels, all = rows * channels;
    CAPTURE(rows);
    CAPTURE(channels);
    const auto x = test::values(all, 1), gamma = test::values(channels, 2), mean = test::values(rows, 3, -0.1, 0.1),
               inverse = test::values(rows, 4, 0.5, 2), dy = test::values(all, 5);
    struct gradients {
      tensor<float> dgamma, dbeta;
    };
    const auto backward = [&](const auto& where, const tensor<float>& from, float* dx) {
      gradients r{test::unwritten(channels), test::unwritten(channels)};
      const rp::layer_norm_backward_args<float> a{
          rows,           channels,    x.data(), gamma.data(),    mean.data(),
          inverse.data(), from.data(), dx,       r.dgamma.data(), r.dbeta.data()};
      CHECK(rp::run(where, a) == receipt(a));
      return r;
    };
    tensor<float> dx = test::unwritten(all), dx0 = dx, in_place = dy;
    const gradients got = backward(on, dy, dx.data()), without = backward(on, dy, nullptr),
                    over = backward(on, in_place, in_place.data()), expected = backward(rp::reference, dy, dx0.data());
    const auto normal = [&](index_t i) {
      const index_t row = i / channels;
      return std::abs(static_cast<double>(x[i] - mean[row]) * static_cast<double>(inverse[row]));
    };
    std::vector<double> sums(static_cast<std::size_t>(channels)), products = sums;  // of magnitudes, by channel
    std::vector<double> row_sums(static_cast<std::size_t>(rows)), row_products = row_sums;
    for (index_t i = 0; i < all; ++i) {
      const auto c = static_cast<std::size_t>(i % channels), row = static_cast<std::size_t>(i / channels);
      const double u = std::abs(static_cast<double>(dy[i])), g = u * std::abs(static_cast<double>(gamma[i % channels]));
      sums[c] += u, products[c] += u * normal(i);
      row_sums[row] += g, row_products[row] += g * normal(i);
    }
    const double rounding = test::gamma(std::max(rows, channels) + 48);  // sums, a power for the inverse and back
    for (const gradients* g : {&got, &without, &over}) {
      test::check_within("dbeta", g->dbeta, expected.dbeta,
                         [&](index_t c) { return rounding * sums[static_cast<std::size_t>(c)]; });
      test::check_within("dgamma", g->dgamma, expected.dgamma,
                         [&](index_t c) { return rounding * products[static_cast<std::size_t>(c)]; });
    }
    const auto dx_error = [&](index_t i) {
      const auto row = static_cast<std::size_t>(i / channels);
      const double g = std::abs(static_cast<double>(dy[i] * gamma[i % channels])), n = static_cast<double>(channels);
      return rounding * static_cast<double>(inverse[i / channels]) *
             (g + (row_sums[row] + normal(i) * row_products[row]) / n);
    };
    test::check_within("dx", dx, dx0, dx_error);
    test::check_within("dx over dy", in_place, dx0, dx_error);
  }
}

TEST_CASE("a prepared layer_norm reports the normalisation as its algorithm") {
  const rp::onednn on(1);
  const auto x = test::values(40 * 8, 1), gamma = test::values(8, 2), beta = test::values(8, 3);
  auto y = test::unwritten(40 * 8), mean = test::unwritten(40), inverse = mean;
  const rp::prepared call(on, rp::layer_norm_args<float>{.rows = 40,
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
}

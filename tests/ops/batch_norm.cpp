// SPDX-License-Identifier: MIT
#include <ridgepoint/ops/batch_norm.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/reference/normalisation.hpp>

#include "support/random_tensor.hpp"

namespace rp = ridgepoint;

TEST_CASE("batch normalisation gives equal results for an image, its pixels as a matrix, and plain operands") {
  const rp::index_t c = 3, rows = 2 * 4 * 5;
  const auto x = random_tensor({2, 4, 5, c}, 1), dy = random_tensor({2, 4, 5, c}, 2), gamma = random_tensor({c}, 3),
             beta = random_tensor({c}, 4);
  struct results {
    rp::tensor<double> y{{2, 4, 5, 3}}, dx{{2, 4, 5, 3}}, inferred{{2, 4, 5, 3}};
    std::vector<double> mean = std::vector<double>(3), inverse = mean, dgamma = mean, dbeta = mean, moving = mean,
                        variance = {1, 1, 1};
    [[nodiscard]] auto all() const {
      return std::tuple(std::vector<double>(y.begin(), y.end()), std::vector<double>(dx.begin(), dx.end()),
                        std::vector<double>(inferred.begin(), inferred.end()), mean, inverse, dgamma, dbeta, moving,
                        variance);
    }
  } a, b, m;
  const rp::batch_norm_options options{.epsilon = 0.5, .momentum = 0.75};
  CHECK(rp::batch_norm(rp::reference, x, gamma, beta, a.y, a.mean, a.inverse,
                       {.mean = a.moving, .variance = a.variance}, options) ==
        rp::run(rp::reference, rp::batch_norm_args<double>{.options = options,
                                                           .rows = rows,
                                                           .channels = c,
                                                           .x = x.data(),
                                                           .gamma = gamma.data(),
                                                           .beta = beta.data(),
                                                           .y = b.y.data(),
                                                           .mean = b.mean.data(),
                                                           .inverse = b.inverse.data(),
                                                           .moving_mean = b.moving.data(),
                                                           .moving_variance = b.variance.data()}));
  CHECK(rp::batch_norm_backward(rp::reference, x, gamma, a.mean, a.inverse, dy, a.dx, a.dgamma, a.dbeta) ==
        rp::run(rp::reference, rp::batch_norm_backward_args<double>{.rows = rows,
                                                                    .channels = c,
                                                                    .x = x.data(),
                                                                    .gamma = gamma.data(),
                                                                    .mean = b.mean.data(),
                                                                    .inverse = b.inverse.data(),
                                                                    .dy = dy.data(),
                                                                    .dx = b.dx.data(),
                                                                    .dgamma = b.dgamma.data(),
                                                                    .dbeta = b.dbeta.data()}));
  CHECK(rp::batch_norm_inference(rp::reference, x, gamma, beta, a.moving, a.variance, a.inferred, options) ==
        rp::run(rp::reference, rp::batch_norm_inference_args<double>{.options = options,
                                                                     .rows = rows,
                                                                     .channels = c,
                                                                     .x = x.data(),
                                                                     .gamma = gamma.data(),
                                                                     .beta = beta.data(),
                                                                     .mean = b.moving.data(),
                                                                     .variance = b.variance.data(),
                                                                     .y = b.inferred.data()}));
  CHECK(a.all() == b.all());

  const rp::matrix_view<const double> pixels(x.data(), rows, c), slopes(dy.data(), rows, c);
  rp::batch_norm(rp::reference, pixels, gamma, beta, rp::matrix_view<double>(m.y.data(), rows, c), m.mean, m.inverse,
                 {.mean = m.moving, .variance = m.variance}, options);
  rp::batch_norm_backward(rp::reference, pixels, gamma, m.mean, m.inverse, slopes,
                          rp::matrix_view<double>(m.dx.data(), rows, c), m.dgamma, m.dbeta);
  rp::batch_norm_inference(rp::reference, pixels, gamma, beta, m.moving, m.variance,
                           rp::matrix_view<double>(m.inferred.data(), rows, c), options);
  CHECK(a.all() == m.all());
}

TEST_CASE("extents that do not match the image are refused") {
  const rp::tensor<float> x({2, 3, 4});
  rp::tensor<float> y({2, 3, 4}), other({2, 4, 3});
  std::vector<float> four(4), three(3);
  const auto refused = [&](const char* message, const auto& gamma, auto& to, auto& mean) {
    CHECK_THROWS_WITH_AS(rp::batch_norm(rp::reference, x, gamma, four, to, mean, four), message, rp::shape_error);
  };
  refused("batch_norm: gamma has 3 elements; must have 4", three, y, four);
  refused("batch_norm: y is 2x4x3; must be 2x3x4", four, other, four);
  refused("batch_norm: mean is 3; must be 4", four, y, three);
  const rp::tensor_view<const float, 3> gappy(x.data(), {2, 2, 4}, {12, 4, 1});
  CHECK_THROWS_WITH_AS(rp::batch_norm(rp::reference, gappy, four, four, y, four, four),
                       "batch_norm: x is 2x2x4 with gaps or in another order; must be dense", rp::shape_error);
}

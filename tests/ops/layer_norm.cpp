// SPDX-License-Identifier: MIT
#include <ridgepoint/ops/layer_norm.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/reference/normalisation.hpp>

#include "support/random_tensor.hpp"

namespace rp = ridgepoint;

TEST_CASE("layer normalisation gives equal results for a sequence, its steps as a matrix, and plain operands") {
  const rp::index_t rows = 2 * 5, c = 3;
  const auto x = random_tensor({2, 5, c}, 1), dy = random_tensor({2, 5, c}, 2), gamma = random_tensor({c}, 3),
             beta = random_tensor({c}, 4);
  struct results {
    rp::tensor<double> y{{2, 5, 3}}, dx{{2, 5, 3}};
    std::vector<double> mean = std::vector<double>(10), inverse = mean, dgamma = std::vector<double>(3), dbeta = dgamma;
    [[nodiscard]] auto all() const {
      return std::tuple(std::vector<double>(y.begin(), y.end()), std::vector<double>(dx.begin(), dx.end()), mean,
                        inverse, dgamma, dbeta);
    }
  } a, b, m;
  const rp::layer_norm_options options{.epsilon = 0.5};
  CHECK(rp::layer_norm(rp::reference, x, gamma, beta, a.y, {.mean = a.mean, .inverse = a.inverse}, options) ==
        rp::run(rp::reference, rp::layer_norm_args<double>{.options = options,
                                                           .rows = rows,
                                                           .channels = c,
                                                           .x = x.data(),
                                                           .gamma = gamma.data(),
                                                           .beta = beta.data(),
                                                           .y = b.y.data(),
                                                           .mean = b.mean.data(),
                                                           .inverse = b.inverse.data()}));
  CHECK(rp::layer_norm_backward(rp::reference, x, gamma, a.mean, a.inverse, dy, a.dx, a.dgamma, a.dbeta) ==
        rp::run(rp::reference, rp::layer_norm_backward_args<double>{.rows = rows,
                                                                    .channels = c,
                                                                    .x = x.data(),
                                                                    .gamma = gamma.data(),
                                                                    .mean = b.mean.data(),
                                                                    .inverse = b.inverse.data(),
                                                                    .dy = dy.data(),
                                                                    .dx = b.dx.data(),
                                                                    .dgamma = b.dgamma.data(),
                                                                    .dbeta = b.dbeta.data()}));
  CHECK(a.all() == b.all());

  const rp::matrix_view<const double> steps(x.data(), rows, c), slopes(dy.data(), rows, c);
  CHECK(rp::layer_norm(rp::reference, steps, gamma, beta, rp::matrix_view<double>(m.y.data(), rows, c), {}, options) ==
        receipt(rp::layer_norm_args<double>{.rows = rows, .channels = c}));
  m.mean = a.mean, m.inverse = a.inverse;
  CHECK(rp::layer_norm_backward(rp::reference, steps, gamma, m.mean, m.inverse, slopes,
                                rp::matrix_view<double>(m.dx.data(), rows, c), m.dgamma, m.dbeta) ==
        receipt(rp::layer_norm_backward_args<double>{.rows = rows, .channels = c, .dx = m.dx.data()}));
  CHECK(a.all() == m.all());
}

TEST_CASE("extents that do not match the rows are refused") {
  const rp::tensor<float> x({2, 3, 4});
  rp::tensor<float> y({2, 3, 4}), other({2, 4, 3});
  std::vector<float> six(6), four(4), three(3);
  const auto refused = [&](const char* message, const auto& gamma, auto& to, auto& mean) {
    CHECK_THROWS_WITH_AS(rp::layer_norm(rp::reference, x, gamma, four, to, {.mean = mean, .inverse = six}), message,
                         rp::shape_error);
  };
  refused("layer_norm: gamma has 3 elements; must have 4", three, y, six);
  refused("layer_norm: y is 2x4x3; must be 2x3x4", four, other, six);
  refused("layer_norm: mean is 4; must be 6", four, y, four);
  CHECK_THROWS_WITH_AS(rp::layer_norm_backward(rp::reference, x, four, four, six, x, y, four, four),
                       "layer_norm_backward: mean has 4 elements; must have 6", rp::shape_error);
}

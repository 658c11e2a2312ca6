// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/initialiser.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {
struct moments {
  double mean = 0, variance = 0, largest = 0;
};
moments of(rp::initialiser initial, rp::fan fan) {
  rp::random_stream random(5);
  constexpr int n = 100'000;
  moments m;
  std::vector<double> values(n);
  initial(random, fan, values);
  for (const double x : values) {
    m.mean += x / n;
    m.variance += x * x / n;
    m.largest = std::max(m.largest, std::abs(x));
  }
  return m;
}
}  // namespace

TEST_CASE("glorot_uniform is uniform in ±√(6/(in+out))") {
  const moments m = of(nn::glorot_uniform, {300, 100});
  const double limit = std::sqrt(6.0 / 400);
  CHECK(m.largest <= limit);
  CHECK(m.largest > 0.999 * limit);
  CHECK(std::abs(m.mean) < 0.01 * limit);
  CHECK(m.variance == near(limit * limit / 3, 0.02));
}

TEST_CASE("variance_scaling has variance 1/in, and is cut at two deviations of the underlying normal") {
  const moments m = of(nn::variance_scaling, {50, 7});
  const double end = 2 * std::sqrt(1.0 / 50) / 0.8796257;
  CHECK(m.largest <= end);
  CHECK(m.largest > 0.995 * end);
  CHECK(std::abs(m.mean) < 0.003);
  CHECK(m.variance == near(1.0 / 50, 0.02));
}

TEST_CASE("he_normal has deviation √(2/in)") {
  const moments m = of(nn::he_normal, {50, 7});
  CHECK(std::abs(m.mean) < 0.005);
  CHECK(m.variance == near(2.0 / 50, 0.03));
}

TEST_CASE("he_normal_out has deviation √(2/out)") {
  CHECK(of(nn::he_normal_out, {7, 50}).variance == near(2.0 / 50, 0.03));
}

TEST_CASE("unit_scaling_uniform is uniform in ±√(3/in)") {
  const moments m = of(nn::unit_scaling_uniform, {48, 7});
  CHECK(m.largest <= 0.25);
  CHECK(m.largest > 0.999 * 0.25);
  CHECK(std::abs(m.mean) < 0.0025);
  CHECK(m.variance == near(1.0 / 48, 0.02));
}

TEST_CASE("a truncated normal ends at two deviations") {
  const auto tenth = [](rp::random_stream& random, rp::fan) { return nn::truncated_normal(random, 0.1); };
  const moments m = of(tenth, {});
  CHECK(m.largest <= 0.2);
  CHECK(m.largest > 0.199);
  CHECK(std::abs(m.mean) < 0.001);
  CHECK(m.variance == near(0.01 * 0.7737413, 0.02));  // 1 − 2·2·φ(2) / (2·Φ(2) − 1)
}

TEST_CASE("orthogonal matrices have orthonormal rows or columns, times the gain, and always the same") {
  const auto doubled = [](rp::random_stream& random, rp::fan f, std::span<double> values) {
    nn::orthogonal_with_gain(random, f, values, 2);
  };
  for (const rp::fan f : {rp::fan{1, 1}, {5, 20}, {20, 5}, {64, 64}}) {
    const auto rows = static_cast<std::size_t>(f.in), cols = static_cast<std::size_t>(f.out);
    const bool wide = rows <= cols;
    std::vector<double> all(2 * rows * cols), again(rows * cols), twice(rows * cols);
    rp::random_stream first(7), second(7), third(7);
    rp::initialiser{nn::orthogonal}(first, f, all);
    rp::initialiser{nn::orthogonal}(second, f, again);
    rp::initialiser{doubled}(third, f, twice);
    CHECK(std::equal(again.begin(), again.end(), all.begin()));
    const bool all_alike =
        std::equal(again.begin(), again.end(), all.begin() + static_cast<std::ptrdiff_t>(rows * cols));
    CHECK((!all_alike || rows * cols == 1));
    for (std::size_t i = 0; i < again.size(); ++i) CHECK(twice[i] == 2 * again[i]);
    const auto product = [&](std::size_t matrix, std::size_t i, std::size_t j) {
      double sum = 0;
      for (std::size_t p = 0; p < std::max(rows, cols); ++p) {
        const double* const q = all.data() + matrix * rows * cols;
        sum += wide ? q[i * cols + p] * q[j * cols + p] : q[p * cols + i] * q[p * cols + j];
      }
      return sum;
    };
    double worst = 0;
    for (const std::size_t matrix : {0U, 1U})
      for (std::size_t i = 0; i < std::min(rows, cols); ++i)
        for (std::size_t j = 0; j <= i; ++j)
          worst = std::max(worst, std::abs(product(matrix, i, j) - (i == j ? 1.0 : 0.0)));
    CHECK(worst < 1e-14);
  }
}

TEST_CASE("zeros and ones") {
  rp::random_stream random(1);
  CHECK(nn::zeros(random, {}) == 0);
  CHECK(nn::ones(random, {}) == 1);
}

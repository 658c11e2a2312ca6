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
  for (int i = 0; i < n; ++i) {
    const double x = initial(random, fan);
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

TEST_CASE("he_normal has deviation √(2/in)") {
  const moments m = of(nn::he_normal, {50, 7});
  CHECK(std::abs(m.mean) < 0.005);
  CHECK(m.variance == near(2.0 / 50, 0.03));
}

TEST_CASE("zeros and ones") {
  rp::random_stream random(1);
  CHECK(nn::zeros(random, {}) == 0);
  CHECK(nn::ones(random, {}) == 1);
}

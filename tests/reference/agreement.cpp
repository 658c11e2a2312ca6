// SPDX-License-Identifier: MIT
// Tests the support code of the agreement tests on its own dot products.
#include "support/agreement.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

constexpr index_t rows = 60, cols = 50, depth = 64;

/// x rounded to float, to nearest or towards 0.
float nearest(double x) { return static_cast<float>(x); }
float truncated(double x) {
  const auto y = static_cast<float>(x);
  return std::abs(static_cast<double>(y)) > std::abs(x) ? std::nextafter(y, 0.0F) : y;
}
/// x rounded down.
float floored(double x) {
  const auto y = static_cast<float>(x);
  return static_cast<double>(y) > x ? std::nextafter(y, -std::numeric_limits<float>::infinity()) : y;
}

struct verdict {
  bool each = true, together = true;
};

/// Returns whether a product is within the bounds if `round` rounds its sums and `scale` multiplies its elements.
verdict judge(float (*round)(double), double scale) {
  const operand a = random_values<float>(rows * depth, 1), b = random_values<float>(depth * cols, 2);
  const auto at = [](const operand& o, index_t i) { return o.values[static_cast<std::size_t>(i)]; };
  verdict result;
  bias errors;
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < cols; ++j) {
      bounded<float> want(0);
      float got = 0;
      for (index_t p = 0; p < depth; ++p) {
        const double x = at(a, i * depth + p), y = at(b, p * cols + j);
        want = want + bounded<float>(x) * bounded<float>(y);
        got = round(static_cast<double>(got) + x * y);
      }
      got = nearest(scale * static_cast<double>(got));
      result.each = result.each && std::abs(want.off_by(static_cast<double>(got))) <= want.error();
      errors.add(want, static_cast<double>(got));
    }
  result.together = std::max(std::abs(errors.upwards()), std::abs(errors.outwards())) <= errors.limit();
  return result;
}

}  // namespace

TEST_CASE_TEMPLATE("random values use all the bits of their type: half of the last bits are 1", T, float, double) {
  const operand drawn = random_values<T>(10'000, 1, 0, 1);
  const auto odd = std::count_if(drawn.values.begin(), drawn.values.end(), [](double x) {
    return std::fmod(std::ldexp(x, std::numeric_limits<T>::digits), 2) == 1;
  });
  CHECK(odd > 4'750);  // 5 standard deviations of 50
  CHECK(odd < 5'250);
}

TEST_CASE("a result rounded to nearest is within the bounds, per element and in total") {
  const verdict v = judge(nearest, 1);
  CHECK(v.each);
  CHECK(v.together);
}

TEST_CASE("the total detects what single elements do not: truncated or floored sums, a factor of 1 + 2^-22") {
  for (const verdict v :
       {judge(truncated, 1), judge(floored, 1), judge(nearest, 1 + 0x1p-22), judge(nearest, 1 - 0x1p-22)}) {
    CHECK(v.each);
    CHECK_FALSE(v.together);
  }
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <ridgepoint/simd/lanes.hpp>
#include <ridgepoint/simd/math.hpp>

namespace rp = ridgepoint;
namespace simd = rp::simd;

TEST_CASE_TEMPLATE("the lanes of a register, one by one", T, float, double) {
  constexpr int lanes = simd::lanes<T>;
  T x[lanes], y[lanes];
  for (int lane = 0; lane < lanes; ++lane) x[lane] = static_cast<T>((lane * 7) % 16 + 1);
  const simd::batch<T> batch = simd::load(x);
  for (int n = 0; n <= lanes; ++n) {
    simd::store(y, simd::first(batch, n, simd::batch<T>(T(-1))));
    for (int lane = 0; lane < lanes; ++lane) CHECK(y[lane] == (lane < n ? x[lane] : T(-1)));
  }
  T largest = x[0], total = T(0);
  for (const T value : x) largest = std::max(largest, value), total += value;
  CHECK(simd::largest(batch) == largest);
  CHECK(simd::sum<T>(batch) == total);
  simd::store(y, simd::round(batch * simd::batch<T>(T(0.5))));
  for (int lane = 0; lane < lanes; ++lane) CHECK(y[lane] == std::nearbyint(x[lane] / 2));
  simd::store(y, simd::polynomial(batch, 2.0, 3.0, -4.0));
  for (int lane = 0; lane < lanes; ++lane) CHECK(y[lane] == 2 * x[lane] * x[lane] + 3 * x[lane] - 4);
}

TEST_CASE_TEMPLATE("numbers are split into mantissa and exponent and recombined", T, float, double) {
  for (int e = std::numeric_limits<T>::min_exponent + 1; e < std::numeric_limits<T>::max_exponent; ++e)
    for (const T fraction : {T(0.75), T(1), T(1.375)}) {
      T got_fraction[simd::lanes<T>], got_exponent[simd::lanes<T>], whole[simd::lanes<T>];
      const auto parts = simd::split_exponent(simd::batch<T>(std::ldexp(fraction, e)));
      simd::store(got_fraction, parts.fraction);
      simd::store(got_exponent, parts.exponent);
      simd::store(whole, simd::add_exponent(parts.fraction, parts.exponent));
      CHECK(got_fraction[0] == fraction);
      CHECK(got_exponent[0] == static_cast<T>(e));
      CHECK(whole[0] == std::ldexp(fraction, e));
    }
}

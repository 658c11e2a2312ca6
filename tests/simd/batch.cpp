// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <ridgepoint/simd/batch.hpp>

#include "support/guarded.hpp"

namespace rp = ridgepoint;
namespace simd = rp::simd;

namespace {
template <class T>
constexpr auto width = static_cast<std::size_t>(simd::lanes<T>);

/// Returns the lanes of f(x, y) for x = 1, 2, 3 … and y = 0.5, 1.5, 2.5 …
template <class T, class F>
std::vector<T> lanes_of(const F& f) {
  std::vector<T> x(width<T>), y(width<T>), out(width<T>);
  for (std::size_t i = 0; i < width<T>; ++i) x[i] = T(i + 1), y[i] = T(i) + T(0.5);
  simd::store(out.data(), f(simd::load(x.data()), simd::load(y.data())));
  return out;
}
}  // namespace

TEST_CASE_TEMPLATE("arithmetic works lane by lane", T, float, double) {
  using batch = simd::batch<T>;
  const auto sums = lanes_of<T>([](batch x, batch y) { return x + y; });
  const auto fused = lanes_of<T>([](batch x, batch y) { return simd::fma(x, y, x); });
  const auto roots = lanes_of<T>([](batch x, batch) { return simd::sqrt(x); });
  const auto larger = lanes_of<T>([](batch x, batch y) { return simd::select(x > batch(T(2)), x, y); });
  for (std::size_t i = 0; i < width<T>; ++i) {
    const T x = T(i + 1), y = T(i) + T(0.5);
    CHECK(sums[i] == x + y);
    CHECK(fused[i] == x * y + x);
    CHECK(roots[i] == std::sqrt(x));
    CHECK(larger[i] == (x > T(2) ? x : y));
  }
  std::vector<T> ones(width<T>, T(1));
  CHECK(simd::sum<T>(simd::load(ones.data())) == T(width<T>));
}

TEST_CASE_TEMPLATE("any finds a lane at any position", T, float, double) {
  for (std::size_t lane = 0; lane <= width<T>; ++lane) {
    std::vector<T> x(width<T> + 1);
    x[lane] = T(2);
    CHECK(simd::any<T>(simd::load(x.data()) > simd::batch<T>(T(1))) == (lane < width<T>));
  }
}

TEST_CASE_TEMPLATE("fma rounds once if the ISA has it", T, float, double) {
  if (!simd::native::fma) return;
  const T u = std::numeric_limits<T>::epsilon();
  std::vector<T> out(width<T>);
  simd::store(out.data(), simd::fma(simd::batch<T>(1 + u), simd::batch<T>(1 + u), simd::batch<T>(-1 - 2 * u)));
  for (const T value : out) CHECK(value == u * u);
}

TEST_CASE_TEMPLATE("max and min keep NaN of their first operand", T, float, double) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const simd::batch<T> unknown(nan), zero(T(0)), one(T(1));
  std::vector<T> out(width<T>);
  for (const auto& result : {simd::max(unknown, zero), simd::min(unknown, zero)}) {
    simd::store(out.data(), result);
    for (const T value : out) CHECK(std::isnan(value));
  }
  simd::store(out.data(), simd::max(-one, zero));
  CHECK(out[0] == T(0));
  simd::store(out.data(), simd::min(-one, zero));
  CHECK(out[0] == T(-1));
}

TEST_CASE_TEMPLATE("partial access touches only the first n lanes", T, float, double) {
  for (std::ptrdiff_t n = 0; n <= simd::lanes<T>; ++n) {
    const guarded_vector<T> from(n, placement_in_page::at_the_end), to(n, placement_in_page::at_the_end);
    for (std::ptrdiff_t i = 0; i < n; ++i) from.data()[i] = T(i + 1), to.data()[i] = T(-1);
    const simd::batch<T> x = simd::load_partial(from.data(), n);
    std::vector<T> all(width<T>);
    simd::store(all.data(), x);
    for (std::ptrdiff_t i = 0; i < simd::lanes<T>; ++i) {
      CHECK(all[static_cast<std::size_t>(i)] == (i < n ? T(i + 1) : T(0)));
    }
    simd::store_partial(to.data(), x, n);
    for (std::ptrdiff_t i = 0; i < n; ++i) CHECK(to.data()[i] == T(i + 1));
  }
}

TEST_CASE_TEMPLATE("a streamed register is written", T, float, double) {
  alignas(64) T out[16] = {};
  simd::stream(out, simd::batch<T>(T(3)));
  for (std::ptrdiff_t i = 0; i < simd::lanes<T>; ++i) CHECK(out[i] == T(3));
}

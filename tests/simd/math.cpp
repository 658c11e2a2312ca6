// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/team.hpp>
#include <ridgepoint/simd/math.hpp>

#include "support/agreement.hpp"

namespace rp = ridgepoint;
namespace simd = rp::simd;
using agreement::ulp_distance;

namespace {

/// Function of simd/math.hpp, its exact reference, and its error bound.
template <class T>
struct function {
  std::string name;
  simd::batch<T> (*fast)(simd::batch<T>);
  long double (*exact)(long double);
  double (*close)(double);  // far more precise than float, far cheaper than long double
  double ulp;
  T low, high;  // tested in double between these; in float everywhere
};

template <class T>
simd::batch<T> exp_of(simd::batch<T> x) {
  return simd::exp(x);
}
template <class T>
simd::batch<T> log_of(simd::batch<T> x) {
  return simd::log(x);
}
template <class T>
simd::batch<T> log1p_of(simd::batch<T> x) {
  return simd::log1p(x);
}
template <class T>
simd::batch<T> tanh_of(simd::batch<T> x) {
  return simd::tanh(x);
}
template <class T>
simd::batch<T> sigmoid_of(simd::batch<T> x) {
  return simd::sigmoid(x);
}
template <class T>
simd::batch<T> erf_of(simd::batch<T> x) {
  return simd::erf(x);
}
long double wide_sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }

// The functions in double, without a call if the result is simple: most floats are tiny or huge.
double close_exp(double x) {
  if (std::abs(x) < 0x1p-27) return 1 + x;
  return x > 89 ? std::numeric_limits<double>::infinity() : x < -104 ? 0 : std::exp(x);
}
double close_tanh(double x) {
  if (std::abs(x) < 0x1p-13) return x - x * x * x / 3;
  return std::abs(x) > 20 ? std::copysign(1, x) : std::tanh(x);
}
double close_erf(double x) {
  if (std::abs(x) < 0x1p-13) return (x - x * x * x / 3) * 1.1283791670955126;
  return std::abs(x) > 5 ? std::copysign(1, x) : std::erf(x);
}
double close_sigmoid(double x) {
  if (std::abs(x) < 0x1p-27) return 0.5 + x / 4;
  return x > 40 ? 1 : x < -104 ? 0 : 1 / (1 + std::exp(-x));
}

template <class T>
std::vector<function<T>> functions() {
  constexpr bool wide = sizeof(T) == 8;
  return {{"exp", exp_of<T>, std::exp, close_exp, wide ? 1.9 : 1.0, T(-708), T(709)},
          {"log", log_of<T>, std::log, std::log, wide ? 1.0 : 0.9, T(0), T(100)},
          {"tanh", tanh_of<T>, std::tanh, close_tanh,
           wide                ? 1.5
           : simd::native::fma ? 4.72
                               : 6.1,
           T(-25), T(25)},
          {"erf", erf_of<T>, std::erf, close_erf, wide ? 2.9 : 2.6, T(-7), T(7)},
          {"sigmoid", sigmoid_of<T>, wide_sigmoid, close_sigmoid, wide ? 2.6 : 2.1, T(-700), T(40)}};
}

/// Returns the largest error over the lanes; values flushed to 0 as documented count as correct.
template <class T>
double error_of(const function<T>& f, const T (&x)[simd::lanes<T>]) {
  T y[simd::lanes<T>];
  simd::store(y, f.fast(simd::load(x)));
  double worst = 0;
  for (int lane = 0; lane < simd::lanes<T>; ++lane) {
    double want = 0;
    if constexpr (sizeof(T) == 8) {
      const long double exact = f.exact(x[lane]);
      const double ulp = static_cast<double>(std::nextafter(std::abs(static_cast<double>(exact)), 1e308)) -
                         std::abs(static_cast<double>(exact));
      worst = std::max(worst, static_cast<double>(std::abs(static_cast<long double>(y[lane]) - exact)) / ulp);
      continue;
    } else {
      want = f.close(static_cast<double>(x[lane]));
    }
    const bool flushed = !(y[lane] > T(0)) && !(y[lane] < T(0)) &&
                         std::abs(want) <= 1.04 * static_cast<double>(std::numeric_limits<T>::min());
    if (!flushed) worst = std::max(worst, ulp_distance(y[lane], want));
  }
  return worst;
}

/// Returns the largest error over the floats with bits first, first + step, ….
double sweep(const function<float>& f, std::uint32_t step) {
  constexpr std::uint64_t lanes = simd::lanes<float>, parts = 64, all = std::uint64_t{1} << 32, part_size = all / parts;
  std::array<double, parts> worst{};
  rp::parallel_for(rp::available_threads(), parts, [&](rp::index_t part) {
    const std::uint64_t begin = static_cast<std::uint64_t>(part) * part_size;
    for (std::uint64_t bits = begin; bits < begin + part_size; bits += lanes * step) {
      float x[lanes];
      for (std::uint64_t lane = 0; lane < lanes; ++lane)
        x[lane] = std::bit_cast<float>(static_cast<std::uint32_t>(bits + lane * step));
      auto& w = worst[static_cast<std::size_t>(part)];
      w = std::max(w, error_of(f, x));
    }
  });
  return *std::max_element(worst.begin(), worst.end());
}

}  // namespace

TEST_CASE("float functions keep their error bounds on every 1009th float") {
  for (const auto& f : functions<float>()) {
    CAPTURE(f.name);
    CHECK(sweep(f, 1009) <= f.ulp);
  }
}

// Results depend on whether products are rounded before they are added, not on the register width. So one instruction
// set without FMA and one with it test every 7th float, the others every 61st.
TEST_CASE("float functions keep their error bounds on every 7th float" * doctest::test_suite("slow")) {
  const std::string_view isa = simd::native::name;
  const std::uint32_t step = isa == "sse4_2" || isa == "avx2" ? 7 : 61;
  for (const auto& f : functions<float>()) {
    const double worst = sweep(f, step);
    MESSAGE(f.name << " in " << simd::native::name << ": " << worst << " ulp");
    CHECK(worst <= f.ulp);
  }
}

TEST_CASE("double functions keep their error bounds on random numbers") {
  rp::random_stream random(1);
  for (const auto& f : functions<double>()) {
    CAPTURE(f.name);
    double worst = 0;
    for (int i = 0; i < 100000; ++i) {
      double x[simd::lanes<double>];
      for (double& value : x)
        value = i % 2 == 0 ? random.uniform(f.low, f.high) : random.uniform(std::max(f.low, -2.0), 2.0) + 1e-300;
      worst = std::max(worst, error_of(f, x));
    }
    CHECK(worst <= f.ulp);
  }
}

TEST_CASE_TEMPLATE("log1p is exact to 1.5 ulp even where 1 + x is not", T, float, double) {
  rp::random_stream random(2);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const T x = static_cast<T>(std::ldexp(random.uniform(0.5, 1), -static_cast<int>(random.below(60))));
    T y[simd::lanes<T>];
    simd::store(y, simd::log1p(simd::batch<T>(x)));
    worst = std::max(worst, ulp_distance(y[0], static_cast<double>(std::log1p(static_cast<long double>(x)))));
  }
  CHECK(worst <= 2);  // against the rounded result in double: half an ulp less is not visible
}

TEST_CASE("tanh, erf and sigmoid of floats near their limits do not exceed them") {
  constexpr int lanes = simd::lanes<float>;
  const auto worst_of = [](auto f, float low, float high) {
    float worst = 0, x[lanes], y[lanes];
    for (float next = low; next < high;) {
      for (float& value : x) value = next, next = std::nextafter(next, high);
      for (const simd::batch<float> at : {simd::load(x), -simd::load(x)}) {
        simd::store(y, f(at));
        for (const float value : y) worst = std::max(worst, std::abs(value));
      }
    }
    return worst;
  };
  CHECK(worst_of(tanh_of<float>, 7.5F, 10.0F) <= 1.0F);
  CHECK(worst_of(erf_of<float>, 3.5F, 4.25F) <= 1.0F);
  CHECK(worst_of(sigmoid_of<float>, 15.0F, 18.0F) <= 1.0F);
}

TEST_CASE_TEMPLATE("functions at the limits of the number range", T, float, double) {
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const auto at = [](simd::batch<T> (*f)(simd::batch<T>), T x) {
    T y[simd::lanes<T>];
    simd::store(y, f(simd::batch<T>(x)));
    return y[simd::lanes<T> - 1];
  };
  CHECK(at(exp_of<T>, infinity) == infinity);
  CHECK(at(exp_of<T>, -infinity) == T(0));
  CHECK(at(exp_of<T>, T(0)) == T(1));
  CHECK(at(exp_of<T>, std::numeric_limits<T>::max()) == infinity);
  CHECK(at(exp_of<T>, std::numeric_limits<T>::lowest()) == T(0));
  CHECK(at(log_of<T>, infinity) == infinity);
  CHECK(at(log_of<T>, T(0)) == -infinity);
  CHECK(at(log_of<T>, T(1)) == T(0));
  CHECK(std::isnan(at(log_of<T>, T(-1))));
  CHECK(at(sigmoid_of<T>, infinity) == T(1));
  CHECK(at(sigmoid_of<T>, -infinity) == T(0));
  CHECK(at(tanh_of<T>, T(0)) == T(0));
  CHECK(std::signbit(at(tanh_of<T>, -T(0))));
  CHECK(std::abs(at(tanh_of<T>, infinity)) <= T(1));
  for (const auto& f : functions<T>()) {
    CAPTURE(f.name);
    CHECK(std::isnan(at(f.fast, nan)));
  }
}

TEST_CASE_TEMPLATE("a NaN stays in its lane", T, float, double) {
  constexpr int lanes = simd::lanes<T>;
  for (const auto& f : functions<T>())
    for (int position = 0; position < lanes; ++position) {
      T x[lanes], y[lanes];
      std::fill_n(x, lanes, T(0.5));
      x[position] = std::numeric_limits<T>::quiet_NaN();
      simd::store(y, f.fast(simd::load(x)));
      for (int lane = 0; lane < lanes; ++lane) CHECK(std::isnan(y[lane]) == (lane == position));
    }
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstring>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/cpu/elementwise.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {
constexpr auto halve = [](auto x) { return std::array{x * decltype(x)(0.5F)}; };

/// Returns x(i) = i mod 1000, exact in float and when halved.
rp::tensor<float> ramp(index_t size) {
  rp::tensor<float> x({size});
  for (index_t i = 0; i < size; ++i) x[i] = static_cast<float>(i % 1000);
  return x;
}
bool is_halved(const float* y, index_t size) {
  for (index_t i = 0; i < size; ++i)
    if (y[i] != 0.5F * static_cast<float>(i % 1000)) return false;
  return true;
}
}  // namespace

TEST_CASE_TEMPLATE("non-temporal stores give the bits of cached stores", T, float, double) {
  for (const index_t size : cpu_sizes<T>()) {
    rp::tensor<T> x({size}), through({size + 1}), past({size + 1});
    rp::random_stream random(5);
    for (T& value : x.values()) value = static_cast<T>(random.uniform(-1, 1));
    const auto square = [](auto v) { return std::array{v * v, v}; };
    const auto a = rp::kernels::map<T, 1, 1>({x.data()}, {through.data()}, size, square);
    const auto b = rp::kernels::map<T, 1, 1>({x.data()}, {past.data()}, size, square, rp::kernels::stores::streaming);
    CHECK(std::memcmp(through.data(), past.data(), static_cast<std::size_t>(size + 1) * sizeof(T)) == 0);
    CHECK(a == b);
  }
}

TEST_CASE("arrays larger than the caches, for several thread counts, alignments and in place") {
  const auto size = static_cast<index_t>(rp::cacheable_bytes() / (2 * sizeof(float))) + 1001;
  rp::tensor<float> x = ramp(size), y({size + 1});
  for (const int threads : {1, 2}) {
    for (const index_t shift : {0, 1}) {
      rp::map_parts<float, 1>(rp::native_cpu(threads), {x.data()}, y.data() + shift, size, halve);
      CHECK(is_halved(y.data() + shift, size));
    }
  }
  rp::map_parts<float, 1>(rp::native_cpu(1), {x.data()}, x.data(), size, halve);
  CHECK(is_halved(x.data(), size));
}

TEST_CASE("cacheable_bytes() is at least L2 and limited on servers with large caches") {
  CHECK(rp::cacheable_bytes() >= rp::host_caches().l2_bytes);
  CHECK(rp::cacheable_bytes() <= std::size_t{24} << 20);
}

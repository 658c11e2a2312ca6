// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/scalar.hpp>

namespace rp = ridgepoint;

namespace {
struct fixed_point {};
}  // namespace
template <>
struct rp::scalar_traits<fixed_point> {
  using accumulator = long;
  static constexpr unsigned bytes = 2;
};

TEST_CASE_TEMPLATE("bfloat16 and float16 store two bytes, compute and accumulate in float", T, rp::bfloat16,
                   rp::float16) {
  static_assert(rp::scalar<T> && rp::scalar_traits<T>::bytes == 2);
  static_assert(std::same_as<rp::accumulator_t<T>, float> && std::same_as<rp::compute_t<T>, float>);
}

TEST_CASE("float and double accumulate in double; other types define their own") {
  static_assert(rp::scalar<float> && rp::scalar<double> && rp::scalar<fixed_point>);
  static_assert(!rp::scalar<int> && !rp::scalar<const char*>);
  static_assert(std::same_as<rp::accumulator_t<float>, double> && std::same_as<rp::accumulator_t<double>, double>);
  static_assert(std::same_as<rp::accumulator_t<fixed_point>, long>);
  static_assert(std::same_as<rp::compute_t<fixed_point>, fixed_point> && std::same_as<rp::compute_t<float>, float>);
  static_assert(rp::scalar_traits<float>::bytes == 4 && rp::scalar_traits<double>::bytes == 8 &&
                rp::scalar_traits<fixed_point>::bytes == 2);
}

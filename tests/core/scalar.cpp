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

TEST_CASE("float and double accumulate in double; others say for themselves") {
  static_assert(rp::scalar<float> && rp::scalar<double> && rp::scalar<fixed_point>);
  static_assert(!rp::scalar<int> && !rp::scalar<const char*>);
  static_assert(std::same_as<rp::accumulator_t<float>, double> && std::same_as<rp::accumulator_t<double>, double>);
  static_assert(std::same_as<rp::accumulator_t<fixed_point>, long>);
  static_assert(rp::scalar_traits<float>::bytes == 4 && rp::scalar_traits<double>::bytes == 8 &&
                rp::scalar_traits<fixed_point>::bytes == 2);
}

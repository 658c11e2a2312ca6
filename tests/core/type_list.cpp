// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/type_list.hpp>

namespace rp = ridgepoint;

TEST_CASE("a list has a size, members and positions") {
  using list = rp::type_list<int, float, double>;
  static_assert(list::size == 3 && rp::type_list<>::size == 0);
  static_assert(list::contains<float> && !list::contains<char> && !list::contains<const int>);
  static_assert(list::index_of<int> == 0 && list::index_of<double> == 2);
}

TEST_CASE("lists are concatenated in order") {
  using joined = decltype(rp::type_list<int>{} + rp::type_list<>{} + rp::type_list<float, char>{});
  static_assert(std::same_as<joined, rp::type_list<int, float, char>>);
}

TEST_CASE("the difference of two lists keeps its order") {
  using left = decltype(rp::type_list<int, float, char, double>{} - rp::type_list<char, int, long>{});
  static_assert(std::same_as<left, rp::type_list<float, double>>);
  static_assert(std::same_as<decltype(left{} - left{}), rp::type_list<>>);
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <utility>

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/core/type_position.hpp>

namespace rp = ridgepoint;

namespace {
template <std::size_t>
struct numbered {};
/// More types than compilers accept in a fold expression.
template <std::size_t... I>
constexpr rp::type_list<numbered<I>...> many(std::index_sequence<I...>) {
  return {};
}
}  // namespace

TEST_CASE("a type is found in a list at run time; a missing type gives the size of the list") {
  const rp::type_list<int, float, int> few;
  CHECK(rp::type_position(few, typeid(int)) == 0);
  CHECK(rp::type_position(few, typeid(float)) == 1);
  CHECK(rp::type_position(few, typeid(double)) == 3);
  CHECK(rp::type_position(rp::type_list<>{}, typeid(int)) == 0);
}

TEST_CASE("a list may be long") {
  constexpr auto list = many(std::make_index_sequence<400>{});
  static_assert(list.contains<numbered<399>> && !list.contains<int> && list.index_of<numbered<300>> == 300);
  CHECK(rp::type_position(list, typeid(numbered<399>)) == 399);
  CHECK(rp::type_position(list, typeid(int)) == 400);
}

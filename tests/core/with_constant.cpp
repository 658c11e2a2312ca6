// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/with_constant.hpp>
#include <type_traits>
#include <vector>

namespace rp = ridgepoint;

namespace {
enum class colour { red, green, blue };
constexpr int odd[] = {3, 5, 11};

template <int N>
struct named {
  static constexpr int value = N;
};
}  // namespace

TEST_CASE("a run-time number becomes a template argument") {
  const auto name = [](auto n) {
    static_assert(std::is_same_v<typename decltype(n)::value_type, int>);  // for any run-time type
    return named<n>::value;
  };
  for (long n = 1; n <= 6; ++n) CHECK(rp::with_constant<1, 6>(n, name) == n);
  CHECK(rp::with_constant<-2, 0>(-1, name) == -1);
  CHECK(rp::with_constant<7, 7>(7, name) == 7);
}

TEST_CASE("an enumerator becomes a template argument") {
  std::vector<colour> seen;
  for (const colour each : {colour::blue, colour::red, colour::green})
    rp::with_constant<colour::red, colour::blue>(each, [&](auto c) {
      static_assert(std::is_same_v<typename decltype(c)::value_type, colour>);
      if constexpr (c != colour::green) seen.push_back(c);
    });
  CHECK(seen == std::vector{colour::blue, colour::red});
}

TEST_CASE("an element of a list becomes a template argument, and only the matching function runs") {
  for (const int n : odd) {
    int calls = 0;
    CHECK(rp::with_constant_of<odd>(n, [&](auto count) { return ++calls, named<count>::value; }) == n);
    CHECK(calls == 1);
  }
}

TEST_CASE("return values are forwarded, including references, also in constant expressions") {
  int x = 0;
  int& same = rp::with_constant<0, 3>(2, [&](auto) -> int& { return x; });
  CHECK(&same == &x);
  static_assert(rp::with_constant<0, 3>(2, [](auto n) { return 10 * n; }) == 20);
  static_assert(rp::with_constant_of<odd>(11, [](auto n) { return 10 * n; }) == 110);
}

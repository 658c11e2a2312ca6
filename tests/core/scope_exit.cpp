// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/scope_exit.hpp>

TEST_CASE("the action runs when the scope ends, by return or by exception") {
  int done = 0;
  {
    const ridgepoint::scope_exit back([&] { ++done; });
    CHECK(done == 0);
  }
  CHECK(done == 1);
  const auto fail = [&] {
    const ridgepoint::scope_exit back([&] { ++done; });
    throw 7;
  };
  CHECK_THROWS_AS(fail(), int);
  CHECK(done == 2);
}

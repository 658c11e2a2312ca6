// SPDX-License-Identifier: MIT
#include <ridgepoint/core/nearest_name.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace rp = ridgepoint;

TEST_CASE("a search by name returns a reference to the element, or an error with every known name") {
  struct thing {
    std::string name;
  };
  const std::vector<thing> all{{"one"}, {"two"}};
  CHECK(&rp::find_named(all, "two", "test: no thing") == &all[1]);
  CHECK(&rp::find_named(all, "TWO", "test: no thing") == &all[1]);
  CHECK(rp::names_of(all) == "one, two");
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::find_named(all, "three", "test: no thing")),
                       "test: no thing is called three; must be one of one, two", rp::value_error);
}

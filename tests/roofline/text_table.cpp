// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/text_table.hpp>

TEST_CASE("columns line up, whatever bytes a character takes") {
  ridgepoint::text_table t{.head = {"name", "time"}, .units = {"", "µs"}, .align = "lr"};
  t.rows = {{"dense", "1.23"}, {}, {"Σ", "12.34"}, {"short"}};
  CHECK(t.text() ==
        "name    time\n"
        "          µs\n"
        "------------\n"
        "dense   1.23\n"
        "------------\n"
        "Σ      12.34\n"
        "short\n");
}

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/text_table.hpp>

TEST_CASE("a name in a cell cannot add lines or terminal commands") {
  ridgepoint::text_table t{.head = {"name", "time"}, .align = "lr"};
  t.rows = {{"a\n\x1b[2J", "1"}, {"b", "2"}};
  CHECK(t.text() ==
        "name        time\n"
        "----------------\n"
        "a\\n\\x1b[2J     1\n"
        "b              2\n");
}

TEST_CASE("columns are aligned for characters of any number of bytes") {
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

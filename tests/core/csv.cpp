// SPDX-License-Identifier: MIT
#include <ridgepoint/core/csv.hpp>

#include <doctest/doctest.h>

namespace rp = ridgepoint;
using rp::csv_table;

TEST_CASE("csv: names, numbers, quotes, empty cells") {
  const csv_table t("name,value\r\n\"a,b\",1.5e3\nc,\n\nd,-\n", "t.csv");
  CHECK(t.size() == 3);
  CHECK(t.columns() == std::vector<std::string>{"name", "value"});
  CHECK(t.text(0, t.column("name")) == "a,b");
  CHECK(t.number(0, t.column("value")) == 1500);
  CHECK(std::isnan(t.number(1, 1)));
  CHECK(std::isnan(t.number(2, 1)));
  CHECK(csv_table("only\n", "t.csv").size() == 0);
}

TEST_CASE("csv: two quotes in a quoted cell are one; a byte order mark is not part of a name") {
  const csv_table t(
      "\xEF\xBB\xBF"
      "m,\"\"\"n\"\"\"\n\"say \"\"hi\"\", twice\",\"\"\n\"\"\"\",x\n",
      "t.csv");
  CHECK(t.columns() == std::vector<std::string>{"m", "\"n\""});
  CHECK(t.text(0, t.column("m")) == "say \"hi\", twice");
  CHECK(t.text(0, 1).empty());
  CHECK(t.text(1, 0) == "\"");
  CHECK(t.where(1, 0) == "t.csv: line 3, column m");
  CHECK(csv_table("a,b\n,\n", "t.csv").text(0, 1).empty());
}

TEST_CASE("csv: duplicate or missing columns and misplaced quotes are refused with file and line") {
  const auto refusal = [](const char* text, const char* message) {
    CHECK_THROWS_WITH_AS(csv_table(text, "t.csv"), message, rp::data_error);
  };
  refusal("\nm,m,k\n1,2,3\n", "t.csv: line 2 has two columns \"m\"; must differ");
  refusal("a,,\n", "t.csv: line 1 has two columns \"\"; must differ");
  refusal("a\n\"x\"y\n", "t.csv: line 2 has text after a closing quote; must have a comma");
  refusal("a\nx\"y\"\n", "t.csv: line 2 has a quote inside a cell; the cell must be in quotes, and the quote doubled");
  refusal("a\n\"x\"\"\n", "t.csv: line 2 leaves a quote open; must close it");
  CHECK_THROWS_WITH_AS(static_cast<void>(csv_table("\n64,32\n1,2\n", "t.csv").column("m")),
                       "t.csv: line 2 has no column m; found 64,32", rp::data_error);
}

TEST_CASE("csv: text that is not a table is refused with file and line") {
  CHECK_THROWS_WITH_AS(csv_table("", "t.csv"), doctest::Contains("t.csv: is empty"), rp::data_error);
  CHECK_THROWS_WITH_AS(csv_table("a,b\n1\n", "t.csv"), doctest::Contains("line 2 has 1 cells; must have 2"),
                       rp::data_error);
  CHECK_THROWS_WITH_AS(csv_table("a,b\n1,2,3\n", "t.csv"), doctest::Contains("line 2 has 3 cells; must have 2"),
                       rp::data_error);
  CHECK_THROWS_WITH_AS(csv_table("a\n\"1\n", "t.csv"), doctest::Contains("leaves a quote open"), rp::data_error);
  CHECK_THROWS_WITH_AS(csv_table(std::string(300, ','), "t.csv"), doctest::Contains("over 256 cells"), rp::data_error);
  const csv_table t("a\nx\ninf\n1e999\n1 \n", "t.csv");
  CHECK_THROWS_AS(static_cast<void>(t.column("b")), rp::data_error);
  for (std::size_t row = 0; row < t.size(); ++row)
    CHECK_THROWS_WITH_AS(static_cast<void>(t.number(row, 0)), doctest::Contains("must be a number"), rp::data_error);
  CHECK_THROWS_AS(static_cast<void>(rp::load_csv("/no/such/file.csv")), rp::data_error);
}

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

TEST_CASE("csv: what is not a table is refused with file and line") {
  CHECK_THROWS_WITH_AS(csv_table("", "t.csv"), doctest::Contains("t.csv: is empty"), rp::data_error);
  CHECK_THROWS_WITH_AS(csv_table("a,b\n1\n", "t.csv"), doctest::Contains("line 2 has 1 cells; must have 2"),
                       rp::data_error);
  CHECK_THROWS_WITH_AS(csv_table("a\n\"1\n", "t.csv"), doctest::Contains("leaves a quote open"), rp::data_error);
  CHECK_THROWS_WITH_AS(csv_table(std::string(300, ','), "t.csv"), doctest::Contains("over 256 cells"), rp::data_error);
  const csv_table t("a\nx\ninf\n1e999\n1 \n", "t.csv");
  CHECK_THROWS_AS(static_cast<void>(t.column("b")), rp::data_error);
  for (std::size_t row = 0; row < t.size(); ++row)
    CHECK_THROWS_WITH_AS(static_cast<void>(t.number(row, 0)), doctest::Contains("must be a number"), rp::data_error);
  CHECK_THROWS_AS(static_cast<void>(rp::load_csv("/no/such/file.csv")), rp::data_error);
}

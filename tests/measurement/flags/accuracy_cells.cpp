// SPDX-License-Identifier: MIT
#include "measurement/flags/accuracy_cells.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "support/near.hpp"

using measurement::cell_state;

TEST_CASE("accuracy cells: a benchmark without accuracy counters has none; each counter has one in a fixed order") {
  CHECK(measurement::accuracy_cells({}).empty());
  measurement::accuracy a{.found = {}, .same_bits = false, .loss_drift = -0.02, .lost = {"NaN"}};
  a.found.ulp_max = 3.861;
  a.found.ulp_mean = 0.25;
  a.found.gradient_error = 2e-7;
  a.found.nan_kept = a.found.subnormals_kept = 0;
  const auto cells = measurement::accuracy_cells(a);
  REQUIRE(cells.size() == std::size(measurement::accuracy_names));
  for (std::size_t i = 0; i < cells.size(); ++i) CHECK(cells[i].of == measurement::accuracy_names[i]);
  CHECK(cells[0].text == "3.86");
  CHECK(cells[0].words == "at most 3.86 ulp from the exact result, 0.250 on average");
  CHECK(cells[1].text == "2e-7");
  CHECK(cells[2].text == "≠");
  CHECK(cells[2].state == cell_state::other);
  CHECK(cells[3].text == "lost");  // lost with these flags
  CHECK(cells[3].state == cell_state::lost);
  CHECK(cells[4].text == "-");  // not kept by the base either
  CHECK(cells[4].state == cell_state::good);
  CHECK(cells[5].text == "-0.020");
  CHECK(cells[5].words == "loss differs from the base's by -2.00 %");
}

TEST_CASE("accuracy cells: numbers are short, and darker the worse they are") {
  using measurement::detail::short_number;
  for (const auto& [value, text] : {std::pair{0.0, "0"},
                                    {0.5, "0.50"},
                                    {42.42, "42.4"},
                                    {999.0, "999"},
                                    {12345.0, "12k"},
                                    {8.4e6, "8.4M"},
                                    {1e30, "1e30"},
                                    {-2.4e-7, "-2e-7"}})
    CHECK(short_number(value) == text);
  using measurement::detail::shade_of;
  CHECK(shade_of(0, 0.5, 1000) == 0);
  CHECK(shade_of(0.5, 0.5, 1000) == 0);
  CHECK(shade_of(std::sqrt(500.0), 0.5, 1000) == near(0.5));
  CHECK(shade_of(1e9, 0.5, 1000) == 1);
}

TEST_CASE("accuracy cells: a value that is not a number counts as lost") {
  measurement::accuracy a;
  a.found.ulp_max = std::numeric_limits<double>::infinity();
  a.loss_drift = std::numeric_limits<double>::quiet_NaN();
  const auto cells = measurement::accuracy_cells(a);
  REQUIRE(cells.size() == 2);
  CHECK(cells[0].text == "inf");
  CHECK(cells[1].text == "NaN");
  for (const auto& cell : cells) CHECK(cell.state == cell_state::lost);
}

// SPDX-License-Identifier: MIT
#include "measurement/flags/roof_chart_json.hpp"

#include <doctest/doctest.h>

#include <limits>

#include <ridgepoint/roofline/svg_json.hpp>

#include "page_sample.hpp"
#include "support/near.hpp"
#include "support/svg_places.hpp"

TEST_CASE("roofs of builds: one chart per set with a roof, below the highest of all, with its own times") {
  const measurement::flags_page page = page_sample::page();
  const std::vector<measurement::roof_chart> charts = measurement::roof_charts(page);
  REQUIRE(charts.size() == page.sets.size() - 1);  // one set has failed
  CHECK(charts[0].set == "x86-64");
  CHECK(charts[0].roof.flop_per_s == 2e10);
  CHECK(charts[0].highest.flop_per_s == 16e10);
  REQUIRE(charts[0].points.size() == 6);
  CHECK(charts[0].points[0].flop_per_s() == near(12e9));  // the base: 12 MFLOP in 1 ms
  CHECK(charts[0].points[0].share_of(charts[0].roof) == near(0.6));
  const measurement::roof_chart& native = charts.back();
  CHECK(native.set == "native");
  CHECK(native.points[1].name == "gemm/256x256x256/kernels");
  CHECK(native.points[1].flop_per_s() == near(12e9 * 7.9));
  CHECK(native.points[1].share_of(native.roof) == near(12e9 * 7.9 / (12 * 1.08e10)));  // memory binds
  CHECK(native.axes.x.low() <= 0.4);
  CHECK(native.axes.y.high() >= 16e10);
}

TEST_CASE("roofs of builds: without roofs, or without rows that report their work, there is no chart") {
  measurement::flags_page page = page_sample::page();
  for (measurement::flags_row& row : page.rows) row.accuracy.found = {};
  CHECK(measurement::roof_charts(page).empty());
  page = page_sample::page();
  for (measurement::page_set& set : page.sets) set.roof = {};
  CHECK(measurement::roof_charts(page).empty());
  page.sets[0].roof = measurement::build_roof{.flop_per_s = std::numeric_limits<double>::quiet_NaN(), .bytes_per_s = 1};
  CHECK(measurement::roof_charts(page).empty());
}

TEST_CASE("roofs of builds: a row that is not a time is left out") {
  measurement::flags_page page = page_sample::page();
  for (measurement::flags_row& row : page.rows) row.compared.unit = "items/s";
  CHECK(measurement::roof_charts(page).empty());
}

TEST_CASE("a roof for Vega and as SVG") {
  const measurement::roof_chart chart = measurement::roof_charts(page_sample::page()).front();
  const nlohmann::json drawn = vega_specification(chart);
  const nlohmann::json& line = drawn["layer"][1]["data"]["values"];
  REQUIRE(line.size() == 3);
  CHECK(line[1]["x"].get<double>() == near(2e10 / 1.01e10));
  CHECK(line[1]["y"].get<double>() == near(2e10));
  CHECK(line[2]["y"].get<double>() == near(2e10));
  CHECK(drawn["layer"][0]["data"]["values"][2]["y"].get<double>() == near(16e10));
  const nlohmann::json& points = drawn["layer"][2]["data"]["values"];
  CHECK(points[0]["letter"] == "A");
  CHECK(points[0]["colour"] != points[1]["colour"]);
  CHECK(points[0]["own"] == "60.0 %");
  const std::string plain = ridgepoint::svg(drawn);
  CHECK(svg_places::strays(plain) == "");
  CHECK(svg_places::count(plain, "font-weight='bold' fill='#") == chart.points.size());
  for (const char* part : {"reaches: 20.0 GFLOP/s, 10.1 GB/s", "stroke-dasharray='6 3 '", "letter: A\n",
                           "benchmark: gemm/256x256x256/definition"})
    CHECK_MESSAGE(plain.find(part) != std::string::npos, std::string(part));
}

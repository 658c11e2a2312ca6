// SPDX-License-Identifier: MIT
#include <ridgepoint/roofline/svg_json.hpp>
#include <ridgepoint/study/charts_json.hpp>

#include <doctest/doctest.h>

#include <limits>

#include "support/svg_places.hpp"

namespace study = ridgepoint::study;

namespace {

const study::heat_map small_map{.title = "used",
                                .x_name = "batch",
                                .y_name = "nodes",
                                .x = {64, 128},
                                .y = {32, 2048},
                                .cells = {12, std::numeric_limits<double>::quiet_NaN(), -1, 87.6}};

}  // namespace

TEST_CASE(
    "a heat map in a terminal and in a browser has the same cells: values, ## out of memory, nothing where there is "
    "none") {
  CHECK(text(small_map) ==
        "used\n"
        "nodes \\ batch\n"
        "              64     128\n"
        "      32    12.0        \n"
        "    2048      ##    87.6\n");
  study::heat_map tiny = small_map;
  tiny.cells[0] = 2.9e-8;
  CHECK(text(tiny).find("    2048       ##     87.6\n") != std::string::npos);  // wider cells, wider columns
  const nlohmann::json chart = vega_specification(small_map);
  const auto& drawn = chart["layer"][0]["data"]["values"];
  REQUIRE(drawn.size() == 2);
  CHECK(drawn[0] == nlohmann::json{{"x", 64}, {"y", 32}, {"value", 12.0}, {"text", "12"}});
  CHECK(drawn[1]["text"] == "88");
  CHECK(chart["layer"][2]["data"]["values"] == nlohmann::json{{{"x", 64}, {"y", 2048}, {"text", "##"}}});
  CHECK(chart["encoding"]["y"]["sort"] == "descending");  // small values below
  const std::string plain = ridgepoint::svg(chart);
  CHECK(svg_places::strays(plain) == "");
  CHECK(svg_places::count(plain, "<rect") == 2);
  CHECK(plain.find("<rect x='0' y='30' width='62' height='30' fill='#d3dced'") != std::string::npos);  // 12 of 100
  CHECK(plain.find("fill='#fff' pointer-events='none'>88</text>") != std::string::npos);
  CHECK(plain.find("fill='#888' pointer-events='none'>##</text>") != std::string::npos);
}

TEST_CASE("a scatter has its points and the line of equality") {
  const study::scatter s{.title = "t", .x_name = "one", .y_name = "eight", .points = {{25, 50}, {100, 0}}};
  const nlohmann::json chart = vega_specification(s);
  CHECK(chart["layer"][0]["data"]["values"][1] == nlohmann::json{{"x", 100.0}, {"y", 100.0}});
  CHECK(chart["layer"][1]["data"]["values"][0] == nlohmann::json{{"x", 25.0}, {"y", 50.0}});
  const std::string plain = ridgepoint::svg(chart);
  CHECK(svg_places::strays(plain) == "");
  CHECK(plain.find("translate(90 180)") != std::string::npos);
  CHECK(plain.find("d='M0 360L360 0'") != std::string::npos);

  study::scatter alone = s;
  alone.has_equality_line = false;
  const nlohmann::json points = vega_specification(alone);
  CHECK(points["layer"].size() == 1);
  CHECK(points["layer"][0] == chart["layer"][1]);
}

TEST_CASE("boxes keep their order, and their axis includes all values") {
  const study::box_chart b{.title = "new over old",
                           .value_name = "times as many",
                           .boxes = {{"products", 1, 1.5, 2, 2.5, 3.25, 7}, {"all", 1, 1, 1, 1, 1, 4}}};
  const nlohmann::json chart = vega_specification(b);
  CHECK(chart["layer"][1]["data"]["values"][0]["name"] == "products (7)");
  CHECK(chart["layer"][1]["encoding"]["x"]["scale"]["domain"] == nlohmann::json{0, 4.0});
  CHECK(chart["layer"][1]["encoding"]["y"]["sort"] == nullptr);
  const std::string plain = ridgepoint::svg(chart);
  CHECK(svg_places::strays(plain) == "");
  CHECK(plain.find("d='M105 17L341.3 17'") != std::string::npos);  // whiskers: 1 to 3.25 of 4
  CHECK(plain.find("<rect x='157.5' y='8' width='105' height='18'") != std::string::npos);
  CHECK(plain.find("<rect x='208.5' y='8' width='3' height='18'") != std::string::npos);  // median
  CHECK(plain.find("of: products (7)\n2nd percentile: 1.00\n9th percentile: 1.50") != std::string::npos);
}

TEST_CASE("bars are signed, and their axis is symmetric and includes the intervals") {
  const study::bar_chart b{.title = "weights",
                           .value_name = "weight",
                           .bars = {{"nodes", 0.25, 0.5, 0.75}, {"inputs", -0.5, -0.25, 0}},
                           .full = 0.5};
  const nlohmann::json chart = vega_specification(b);
  CHECK(chart["layer"][0]["encoding"]["x"]["scale"]["domain"] == nlohmann::json{-0.75, 0.75});
  CHECK(chart["layer"][0]["data"]["values"][1]["name"] == "inputs");
  const std::string plain = ridgepoint::svg(chart);
  CHECK(svg_places::strays(plain) == "");
  CHECK(plain.find("<rect x='210' y='7' width='140' height='14'") != std::string::npos);  // 0 to 0.5
  CHECK(plain.find("<rect x='140' y='35' width='70' height='14'") != std::string::npos);  // -0.25 to 0
  CHECK(plain.find("d='M280 14L420 14'") != std::string::npos);                           // 0.25 to 0.75
  for (const char* tick : {">-0.6</text>", ">-0.2</text>", ">0</text>", ">0.6</text>"})   // multiples, also below 0
    CHECK(plain.find(tick) != std::string::npos);
  CHECK(plain.find("of: nodes\nweight: 0.500\nfrom: 0.250\nto: 0.750") != std::string::npos);
}

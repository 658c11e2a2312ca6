// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/html_json.hpp>
#include <ridgepoint/roofline/plot.hpp>
#include <ridgepoint/roofline/vega_json.hpp>

#include "support/near.hpp"
#include "synthetic.hpp"

namespace rp = ridgepoint;

TEST_CASE("the specification has log axes fixed by the machine and a datum per row with FLOP") {
  const nlohmann::json v = rp::vega_specification(synthetic::profile(), synthetic::machine());
  CHECK(v["encoding"]["x"]["scale"]["type"] == "log");
  CHECK(v["encoding"]["x"]["scale"]["domain"][0] == near(0.01));
  CHECK(v["encoding"]["y"]["scale"]["domain"][1] == near(1e12));
  const auto& marks = v["layer"][v["layer"].size() - 2];
  CHECK(marks["name"] == "marks");
  REQUIRE(marks["data"]["values"].size() == 2);
  CHECK(marks["data"]["values"][0]["layer"] == "dense_1");
  CHECK(marks["data"]["values"][0]["y"] == near(80e9));
}

TEST_CASE("the chart has every roof with its value, every ridge point, and a letter per row with FLOP") {
  const nlohmann::json v = rp::vega_specification(synthetic::profile(), synthetic::machine());
  const std::string all = v.dump();
  for (const char* words : {"L1 400 GB/s", "L2 200 GB/s", "L3 100 GB/s", "DRAM 10.0 GB/s", "f32 avx2 100 GFLOP/s",
                            "f32 sse4_2 50.0 GFLOP/s", "L1 0.250", "DRAM 10.0"})
    CHECK_MESSAGE(all.find(words) != std::string::npos, words);
  CHECK(v["layer"].back()["data"]["values"].size() == 2);
}

TEST_CASE("a mark above its roof is pale") {
  rp::profile p = synthetic::profile();
  p.rows[0].elapsed_s /= 10;
  const nlohmann::json v = rp::vega_specification(p, synthetic::machine());
  const auto& marks = v["layer"][v["layer"].size() - 2]["data"]["values"];
  CHECK(marks[0]["opacity"] == 0.25);
  CHECK(marks[1]["opacity"] == 0.75);
}

TEST_CASE("the limit of launches is a dotted roof across the chart, in chart, text and page") {
  rp::machine m = synthetic::machine();
  m.launch_s = 1e-3;
  rp::profile p = synthetic::profile();
  const auto dotted = [&] {
    std::vector<double> heights;
    const nlohmann::json v = rp::vega_specification(p, m);
    for (const auto& end : v["layer"][0]["data"]["values"])
      if (end["launches"] == true) heights.push_back(end["y"]);
    return heights;
  };
  CHECK(dotted().empty());
  p.rows[0].launches = 4;
  REQUIRE(dotted().size() == 2);
  CHECK(dotted()[0] == near(412e6 / 4e-3));
  CHECK(dotted()[1] == dotted()[0]);
  CHECK(rp::vega_specification(p, m).dump().find("launches of the step, 4 × 1.00 ms: 103 GFLOP/s") !=
        std::string::npos);
  CHECK(rp::plot(p, m).find("stays below 103 GFLOP/s (dotted)") != std::string::npos);
  CHECK(rp::html(p, m, std::nullopt).find("The dotted roof is that of launches: 4 of 1.00 ms") != std::string::npos);
}

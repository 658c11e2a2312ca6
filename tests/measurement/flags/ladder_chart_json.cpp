// SPDX-License-Identifier: MIT
#include "measurement/flags/ladder_chart_json.hpp"

#include <doctest/doctest.h>

#include <ridgepoint/roofline/svg_json.hpp>

#include "page_sample.hpp"
#include "support/svg_places.hpp"

namespace {

measurement::ladder_chart ladder_of(const measurement::flags_page& page, std::size_t group) {
  return layout(page, measurement::grouped(page.rows).at(group));
}

}  // namespace

TEST_CASE("a ladder: every set in order, the control first; sets without a row give the reason") {
  const measurement::flags_page page = page_sample::page();
  const measurement::ladder_chart pair = ladder_of(page, 0), alone = ladder_of(page, 4), odd = ladder_of(page, 5);
  REQUIRE(pair.ladders.size() == 2);
  CHECK(pair.ladders[0].title == "definition: 1.00 ms with x86-64");
  CHECK(pair.ladders[1].title == "kernels: 1.00 ms with x86-64");
  CHECK(pair.strip == std::vector<std::string>{"ulp max", "bits", "NaN", "subnormals"});
  CHECK(alone.strip.empty());
  const auto& rungs = pair.ladders[0].rungs;
  REQUIRE(rungs.size() == page.sets.size());
  CHECK(rungs[0].set == "x86-64 again");
  CHECK(rungs[1].set == "sse4.2");
  CHECK(rungs[3].words == "0.930, 0.921 … 0.939: slower");
  CHECK(rungs[2].words == "1.100, 0.968 … 1.232, wide: can't tell, the interval contains 1 and exceeds the gate");
  CHECK(rungs[6].row == nullptr);
  CHECK(rungs[6].words == "kernels.cpp:3:1: error: <broken> & \"quoted\"");
  CHECK(alone.ladders[0].rungs[1].words == "has no row");
  CHECK(odd.ladders[0].rungs[2].words == "B has 3 rounds; needs 6");
}

TEST_CASE("a ladder: its axis covers every interval, 1 and the gate, and adjacent ladders share it") {
  const measurement::flags_page page = page_sample::page();
  const measurement::ladder_chart chart = ladder_of(page, 0);
  CHECK(chart.low <= 0.9);
  CHECK(chart.high >= 7.979);
  CHECK(chart.ticks == std::vector<double>{1, 1.3, 2, 3, 4, 5, 7});
  CHECK(ladder_of(page, 5).ticks == std::vector<double>{0.9, 0.95, 0.98, 1, 1.02, 1.05, 1.1});
  const nlohmann::json drawn = vega_specification(chart);
  const auto domain = [&](std::size_t i) -> const nlohmann::json& {
    return drawn["hconcat"][i]["vconcat"][0]["layer"][0]["encoding"]["y"]["scale"]["domain"];
  };
  CHECK(domain(0) == domain(1));
}

TEST_CASE("a ladder in a browser: bars with intervals, colour and shape of the verdict, and the strip below") {
  const measurement::flags_page page = page_sample::page();
  const nlohmann::json drawn = vega_specification(ladder_of(page, 0));
  REQUIRE(drawn["hconcat"].size() == 2);
  REQUIRE(drawn["hconcat"][1]["vconcat"].size() == 2);
  const nlohmann::json& layers = drawn["hconcat"][1]["vconcat"][0]["layer"];
  const nlohmann::json& rungs = layers[2]["data"]["values"];
  REQUIRE(rungs.size() == page.sets.size() - 1);  // one set has failed
  CHECK(rungs[6]["set"] == "native");
  CHECK(rungs[6]["speedup"] == 7.9);
  CHECK(rungs[6]["shape"] == "triangle-up");
  CHECK(rungs[0]["shape"] == "square");
  CHECK(layers[5]["data"]["values"][0]["set"] == "does-not-compile");
  const nlohmann::json& cells = drawn["hconcat"][1]["vconcat"][1]["layer"][0]["data"]["values"];
  const auto fast = std::find_if(cells.begin(), cells.end(),
                                 [](const auto& cell) { return cell["set"] == "fast" && cell["of"] == "NaN"; });
  REQUIRE(fast != cells.end());
  CHECK((*fast)["text"] == "lost");
  CHECK((*fast)["fill"] == "#C62828");
  CHECK(vega_specification(ladder_of(page, 4))["hconcat"][0]["vconcat"].size() == 1);
}

TEST_CASE("ladders of many sets are stacked, each with its axis") {
  measurement::flags_page page = page_sample::page();
  for (int i = 0; i < 20; ++i) page.sets.push_back({.set = {.name = "set" + std::to_string(i)}});
  const nlohmann::json drawn = vega_specification(ladder_of(page, 0));
  REQUIRE(drawn["vconcat"].size() == 2);
  for (const nlohmann::json& ladder : drawn["vconcat"])
    CHECK(ladder["vconcat"][0]["layer"][0]["encoding"]["y"]["axis"]["title"] == "speed-up over x86-64");
}

TEST_CASE("a ladder without the chart library: a mark and a bar for each set with a speed-up, text for the others") {
  const measurement::flags_page page = page_sample::page();
  const std::string alone = ridgepoint::svg(vega_specification(ladder_of(page, 4)));
  const std::string pair = ridgepoint::svg(vega_specification(ladder_of(page, 0)));
  CHECK(svg_places::count(alone, "class='mark'") == 2);
  CHECK(svg_places::count(pair, "class='mark'") == 2 * (page.sets.size() - 1));
  CHECK(svg_places::count(pair, "opacity='0.350'") == 2 * (page.sets.size() - 1));
  for (const char* part :
       {">1.00 ms with x86-64</text>", "has no row", "1.500, 1.485 … 1.515: faster", ">x86-64 again<"})
    CHECK_MESSAGE(alone.find(part) != std::string::npos, std::string(part));
  for (const char* part : {"definition: 1.00 ms", "kernels: 1.00 ms", ">12k</text>", ">lost</text>", "fill='#C62828'",
                           "kernels.cpp:3:1: error: &lt;broken&gt; &amp; &quot;quoted&quot;"})
    CHECK_MESSAGE(pair.find(part) != std::string::npos, std::string(part));
}

TEST_CASE("a cell's colour: red is lost, numbers get darker, and the text is readable") {
  using measurement::accuracy_cell;
  CHECK(measurement::fill_of({.of = "ulp max", .text = "", .words = ""}) == "#eff3ff");
  const accuracy_cell worst{.of = "ulp max", .text = "", .words = "", .shade = 1};
  CHECK(measurement::fill_of(worst) == "#08306b");
  CHECK(measurement::ink_of(worst) == "#fff");
}

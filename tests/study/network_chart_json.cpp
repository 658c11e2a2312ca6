// SPDX-License-Identifier: MIT
#include <ridgepoint/study/network_chart_json.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/study/network_chart.hpp>

#include "network_chart_sample.hpp"
#include "support/near.hpp"
#include "support/svg_places.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;
using nlohmann::json;

namespace {
bool has(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }
}  // namespace

TEST_CASE("chart of a network: the table gives each step's origin, its bound, or the reason why it has no step") {
  const study::network_chart c = network_chart_sample::chart();
  CHECK(study::letter_of(c, 0) == 'A');
  CHECK(study::letter_of(c, 1) == 'b');
  CHECK(c.steps[1].roof_share() == near(0.75));
  const std::string text = study::table(c, 1);
  for (const char* words : {"A  here", "measured", "b  fast", "modelled", "3 × 1.00 ms", "launches", "c  small    none",
                            "A here: measured: by ridgepoint.avx2", "c small: none: out of memory", "nothing ran"})
    CHECK_MESSAGE(has(text, words), words);
  CHECK(has(text, "dense_1"));
  CHECK_FALSE(has(text, "adam"));
  CHECK(has(study::table(c, 2), "adam"));
}

TEST_CASE("chart of a network as text: a capital for measured steps, a dotted roof for launches") {
  const std::string text = study::plot(network_chart_sample::chart(), {.style = rp::glyphs::ascii});
  CHECK(has(text, "A here: measured; f32 100 GFLOP/s, DRAM 10.0 GB/s"));
  CHECK(has(text, "launches: 3 of 1.00 ms, so that the whole step stays below 137 GFLOP/s (dotted)"));
  CHECK(has(text, ".  .  ."));
  CHECK_FALSE(has(text, "c small"));
  CHECK_THROWS_AS(static_cast<void>(study::plot(network_chart_sample::chart(), {.width = 1})), rp::value_error);
}

TEST_CASE("chart of a network for Vega-Lite: filled marks are measured, hollow ones modelled, each with a shape") {
  const json v = vega_specification(network_chart_sample::chart());
  const auto marks = std::find_if(v["layer"].begin(), v["layer"].end(),
                                  [](const json& layer) { return layer.value("name", "") == "marks"; });
  REQUIRE(marks != v["layer"].end());
  const json& encoding = (*marks)["encoding"];
  CHECK(encoding["fill"]["scale"]["domain"] == json{"here: measured", "fast: modelled"});
  CHECK(encoding["fill"]["scale"]["range"][0] == encoding["stroke"]["scale"]["range"][0]);
  CHECK(encoding["fill"]["scale"]["range"][1] == "transparent");
  CHECK(encoding["shape"]["scale"]["range"][0] != encoding["shape"]["scale"]["range"][1]);
  std::size_t steps = 0;
  for (const json& mark : (*marks)["data"]["values"]) {
    CHECK(mark["y"].get<double>() > 0);
    steps += mark["layer"] == "the whole step" ? 1 : 0;
  }
  CHECK(steps == 2);
  CHECK(has(v.dump(), "fast launches 3 × 1.00 ms: 137 GFLOP/s"));
  const std::string plain = rp::svg(v);
  CHECK(svg_places::strays(plain) == "");
  CHECK(svg_places::count(plain, "class='mark'") == (*marks)["data"]["values"].size() + 2);  // plus the legend
  CHECK(svg_places::count(plain, "fill='transparent' stroke='#D55E00'") == 4);
  CHECK(svg_places::count(plain, "<path fill='none'") == 3);  // two roofs, one of launches
  CHECK_NOTHROW(static_cast<void>(rp::svg(vega_specification(study::network_chart{}))));
}

TEST_CASE("labels of close roofs do not overlap") {
  std::vector<study::detail::line_words> words{{"a", 100}, {"b", 98}, {"c", 300}};
  study::detail::keep_separate(words);
  CHECK(words[0].height == 300);
  CHECK(words[1].height == 100);
  CHECK(words[2].height == 86);
}

TEST_CASE("chart of a network as JSON and as a page: the origin of each machine's step, with its roofline") {
  study::network_chart c = network_chart_sample::chart();
  c.steps[2].how = "<b>";
  const json d = rp::parse_strict(to_json_document(c).dump(), "chart.json");
  CHECK(d["schema"] == "ridgepoint.chart");
  CHECK(d["schema_version"] == 1);
  CHECK(d["machines"][0]["step_is"] == "measured");
  CHECK(d["machines"][0]["roofline"].contains("environment"));
  CHECK(d["machines"][1]["step_is"] == "modelled");
  CHECK_FALSE(d["machines"][1]["roofline"].contains("environment"));
  CHECK(d["machines"][1]["step"]["bound"] == "launches");
  CHECK(d["machines"][1]["step"]["launches"] == 3);
  CHECK(d["machines"][1]["step"]["flop_per_s"] == near(103e9));
  CHECK(d["machines"][2]["step_is"] == "none");
  CHECK_FALSE(d["machines"][2].contains("step"));
  const json run = rp::to_json_document(c.steps[0].profile, c.steps[0].machine, c.steps[0].at);
  CHECK(rp::roofline_from_json({d["machines"][0]["roofline"], "chart: "}).profile.step_s == run["profile"]["step_s"]);
  const std::string page = html(c);
  for (const char* words :
       {"<td>here</td><td>measured</td>", "<td>fast</td><td>modelled</td>", "<td>small</td><td>none</td>",
        "<li>c small: none: &lt;b&gt;</li>", "filled and capital: measured", "id='run'"})
    CHECK_MESSAGE(has(page, words), words);
}

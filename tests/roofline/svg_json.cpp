// SPDX-License-Identifier: MIT
#include <ridgepoint/roofline/svg_json.hpp>

#include <doctest/doctest.h>

#include <limits>

#include <ridgepoint/roofline/vega_json.hpp>

#include "support/svg_places.hpp"
#include "synthetic.hpp"

namespace rp = ridgepoint;
using nlohmann::json;

namespace {

constexpr std::size_t passes = 5;  // legend marks

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// View of 100 x 100 pixels.
json view(json mark, json values, const json& x, const json& y) {
  return {{"width", 100},
          {"height", 100},
          {"mark", std::move(mark)},
          {"data", {{"values", std::move(values)}}},
          {"encoding", {{"x", x}, {"y", y}}}};
}
json axis(const char* field, const char* type, double low, double high) {
  return {{"field", field}, {"type", "quantitative"}, {"scale", {{"type", type}, {"domain", {low, high}}}}};
}

}  // namespace

TEST_CASE("a roofline as SVG: a mark and a letter for each row with FLOP, a line and a label for each roof") {
  const rp::profile p = synthetic::profile();
  const std::string drawn = rp::svg(rp::vega_specification(p, synthetic::machine()));
  const rp::chart laid_out = rp::layout(p, synthetic::machine());
  CHECK(svg_places::strays(drawn) == "");
  CHECK(svg_places::count(drawn, "class='mark'") == 2 + laid_out.ridges.size() + passes);
  CHECK(svg_places::count(drawn, "<path fill='none'") == laid_out.roofs.size());
  for (const rp::chart_roof& roof : laid_out.roofs) CHECK_MESSAGE(has(drawn, ">" + roof.label + "</text>"), roof.label);
  for (const char* part :
       {"<svg role='img' aria-label='Roofline of synthetic on synthetic' viewBox='", "row: A\nlayer: dense_1\n",
        "achieved: 80.0 GFLOP/s", ">A</text>", ">B</text>", ">100 G</text>", ">0.01</text>", ">FLOP/s</text>",
        ">arithmetic intensity, FLOP/B (compulsory traffic)</text>", ">backward-weights</text>"})
    CHECK_MESSAGE(has(drawn, part), std::string(part));
  CHECK_FALSE(has(drawn, ">C</text>"));  // a copy: no FLOP
  const double x = laid_out.pixel_x(200), y = laid_out.pixel_y(80e9);
  CHECK(has(drawn, rp::concat("translate(", std::round(10 * x) / 10, ' ', std::round(10 * y) / 10, ')')));
}

TEST_CASE("a roofline as SVG: names are escaped") {
  rp::profile p = synthetic::profile();
  p.title = p.rows[0].layer = "</svg><b a='\"&\x01\x7f";
  const std::string drawn = rp::svg(rp::vega_specification(p, synthetic::machine()));
  CHECK(svg_places::count(drawn, "</svg>") == 1);
  CHECK_FALSE(has(drawn, "<b"));
  CHECK_FALSE(has(drawn, "\x01"));
  CHECK(has(drawn, "layer: &lt;/svg&gt;&lt;b a=&#39;&quot;&amp;\\x01\\x7f"));
  CHECK(has(drawn, "aria-label='Roofline of &lt;/svg&gt;&lt;b a=&#39;&quot;&amp;\\x01\\x7f"));
}

TEST_CASE("a roofline as SVG: few rows, equal ones, none with FLOP, extreme ones, and a machine without roofs") {
  rp::profile p = synthetic::profile();
  const auto marks = [&](const rp::machine& on) {
    const std::string drawn = rp::svg(rp::vega_specification(p, on));
    CHECK(svg_places::strays(drawn) == "");
    return svg_places::count(drawn, "class='mark'") - passes - rp::layout(p, on).ridges.size();
  };
  p.rows = {p.rows[0]};
  CHECK(marks(synthetic::machine()) == 1);
  p.rows.assign(40, p.rows[0]);
  CHECK(marks(synthetic::machine()) == 40);
  p.rows = {{"copy", rp::pass::forward, "", synthetic::work_of(0, 1), 1e-3, 1}};
  CHECK(marks(synthetic::machine()) == 0);
  p.rows = {{"slow", rp::pass::forward, "", synthetic::work_of(1, 1'000'000'000), 1e3, 1},
            {"fast", rp::pass::forward, "", synthetic::work_of(1'000'000'000'000'000'000, 1), 1, 1},
            {"no time", rp::pass::forward, "", synthetic::work_of(1000, 1000), 0, 1}};
  CHECK(marks(synthetic::machine()) == 2);
  CHECK(marks({.name = "empty", .description = "", .ceilings = {}}) == 2);
}

TEST_CASE("a view as SVG: points outside its axes are left out, lines end at a change of their key") {
  const json values{{{"x", 1}, {"y", 10}},
                    {{"x", 100}, {"y", 1000}},
                    {{"x", 0}, {"y", 10}},
                    {{"x", -1}, {"y", 10}},
                    {{"x", nullptr}, {"y", 10}},
                    {{"x", 1e6}, {"y", 10}},
                    {{"x", std::numeric_limits<double>::quiet_NaN()}, {"y", 10}},
                    {{"x", std::numeric_limits<double>::infinity()}, {"y", 10}}};
  const std::string points = rp::svg(view("point", values, axis("x", "log", 1, 100), axis("y", "log", 10, 1000)));
  CHECK(svg_places::count(points, "class='mark'") == 2);
  CHECK(has(points, "translate(0 100)"));
  CHECK(has(points, "translate(100 0)"));
  json lines =
      view({{"type", "line"}, {"strokeDash", {4, 2}}},
           {{{"x", 0}, {"y", 0}, {"of", "a"}}, {{"x", 1}, {"y", 1}, {"of", "a"}}, {{"x", 2}, {"y", 0}, {"of", "b"}}},
           axis("x", "linear", 0, 2), axis("y", "linear", 0, 1));
  CHECK(has(rp::svg(lines), "stroke-dasharray='4 2 ' d='M0 100L50 0L100 100'"));
  lines["encoding"]["detail"] = {{"field", "of"}};
  CHECK(has(rp::svg(lines), "d='M0 100L50 0'"));
  CHECK(has(rp::svg(lines), "d='M100 100'"));
}

TEST_CASE("a view as SVG: linear ticks are round, and labels and legends stay inside the drawing") {
  const json words{{"type", "text"}, {"align", "left"}};
  json one = view(words, {{{"x", 99}, {"y", 0.3}, {"text", "as long as the view is wide"}}},
                  axis("x", "linear", 0, 100), axis("y", "linear", 0, 0.75));
  one["encoding"]["text"] = {{"field", "text"}};
  const std::string drawn = rp::svg(one);
  CHECK(svg_places::strays(drawn) == "");
  for (const char* tick : {">0</text>", ">50</text>", ">100</text>", ">0.5</text>"})
    CHECK_MESSAGE(has(drawn, tick), std::string(tick));
  CHECK(has(drawn, "<text x='0' y='63.9' font-size='11' pointer-events='none'>as long as"));
  one["mark"]["limit"] = 60;
  CHECK(has(rp::svg(one), ">as long…</text>"));
  json many = view("point", json::array(), axis("x", "linear", 0, 1), axis("y", "linear", 0, 1));
  many["encoding"]["color"] = {
      {"field", "of"}, {"scale", {{"domain", {"first", "second", "third"}}, {"range", {"#111", "#222", "#333"}}}}};
  CHECK(svg_places::strays(rp::svg(many)) == "");
  CHECK(has(rp::svg(many), ">third</text>"));
}

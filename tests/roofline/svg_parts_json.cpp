// SPDX-License-Identifier: MIT
#include <ridgepoint/roofline/svg_json.hpp>

#include <doctest/doctest.h>

using nlohmann::json;
using ridgepoint::detail::svg_attribute, ridgepoint::detail::svg_channel, ridgepoint::detail::svg_element,
    ridgepoint::detail::svg_fit, ridgepoint::detail::svg_scale;

TEST_CASE("parts of SVG: words are cut between characters; titles and attributes are escaped") {
  CHECK(svg_fit("äöüäöü", 30) == "äö…");
  CHECK(svg_fit("äöü", 30) == "äöü");
  CHECK(svg_element("a", svg_attribute("b", "'<"), "<c>", "d&") ==
        "<a b='&#39;&lt;'><title>&lt;c&gt;</title>d&amp;</a>\n");
  CHECK(svg_attribute("b", "").empty());
}

TEST_CASE("parts of SVG: ticks of decades are thinned, linear ones are round, given ones are kept if they fit") {
  const auto names = [](const svg_scale& s) {
    std::string all;
    for (const auto& [at, name] : s.ticks()) all += name + ' ';
    return all;
  };
  CHECK(names({.low = 1, .high = 1000, .pixels = 400, .log = true}) == "1 10 100 1000 ");
  CHECK(names({.low = 1e-3, .high = 1e9, .pixels = 300, .log = true}) == "0.001 0.1 10 1000 100000 1e+07 1e+09 ");
  CHECK(names({.low = 0, .high = 0.7, .pixels = 200}) == "0 0.2 0.4 0.6 ");
  CHECK(names({.axis = {{"values", {0.5, 1, 2, 9}}}, .low = 0.9, .high = 3, .pixels = 100, .log = true}) == "1 2 ");
  CHECK(names({.axis = {{"format", "~s"}}, .low = 1e9, .high = 1e10, .pixels = 100, .log = true}) == "1 G 10 G ");
}

TEST_CASE("parts of SVG: a channel is a condition, a constant, a field, or a field through a scale") {
  const json datum{{"a", true}, {"n", 60}, {"name", "two"}};
  CHECK(svg_channel({{"condition", {{"test", "datum.a"}, {"value", 1}}}, {"value", 2}}, datum) == 1);
  CHECK(svg_channel({{"condition", {{"test", "datum.n > 60"}, {"value", 1}}}, {"value", 2}}, datum) == 2);
  CHECK(svg_channel({{"field", "name"}}, datum) == "two");
  const json names{"one", "two"}, colours{"#000000", "#ffffff"};
  CHECK(svg_channel({{"field", "name"}, {"scale", {{"domain", names}, {"range", colours}}}}, datum) == "#ffffff");
  CHECK(svg_channel({{"field", "n"}, {"scale", {{"domain", {0, 120}}, {"range", colours}}}}, datum) == "#808080");
  CHECK(svg_channel({{"field", "absent"}}, datum).is_null());
}

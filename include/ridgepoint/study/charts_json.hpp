// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <ridgepoint/study/charts.hpp>

/// \file
/// The charts of sweeps as Vega-Lite specifications that need no other file.
namespace ridgepoint::inline RIDGEPOINT_ABI::study {

using nlohmann::json;

namespace detail {

[[nodiscard]] inline json vega_chart(const std::string& title, json width, json height, json layers) {
  return {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
          {"description", title},
          {"width", std::move(width)},
          {"height", std::move(height)},
          {"layer", std::move(layers)}};
}
[[nodiscard]] inline json vega_layer(json values, json mark, json encoding) {
  return {{"data", {{"values", std::move(values)}}}, {"mark", std::move(mark)}, {"encoding", std::move(encoding)}};
}
/// A quantitative axis from 0 to `full`, never sorted or extended.
[[nodiscard]] inline json vega_axis(const char* field, const std::string& title, double full) {
  return {{"field", field},
          {"type", "quantitative"},
          {"title", title},
          {"scale", {{"domain", {0, full}}, {"nice", false}}}};
}

}  // namespace detail

/// Cells from almost white to dark blue with their values, readable in grey; "##" is out of memory.
[[nodiscard]] inline json vega_specification(const heat_map& m) {
  json drawn = json::array(), full = json::array();
  for (std::size_t row = 0; row < m.y.size(); ++row)
    for (std::size_t column = 0; column < m.x.size(); ++column) {
      const double value = m.at(row, column);
      if (std::isnan(value)) continue;
      const json place{{"x", m.x[column]}, {"y", m.y[row]}};
      json cell = place;
      cell["text"] = value < 0 ? "##" : figures(value, 2);
      if (value >= 0) cell["value"] = value;
      (value < 0 ? full : drawn).push_back(std::move(cell));
    }
  const json x{{"field", "x"}, {"type", "ordinal"}, {"title", m.x_name}, {"axis", {{"labelAngle", 0}}}};
  const json y{{"field", "y"},
               {"type", "ordinal"},
               {"title", m.y_name},
               {"sort", "descending"},
               {"axis", {{"titlePadding", 12}}}};
  const json shade{{"field", "value"},
                   {"type", "quantitative"},
                   {"scale", {{"domain", {0, m.full}}, {"range", {"#eff3ff", "#08306b"}}, {"clamp", true}}},
                   {"legend", nullptr}};
  const json tooltip{{{"field", "x"}, {"title", m.x_name}},
                     {{"field", "y"}, {"title", m.y_name}},
                     {{"field", "value"}, {"title", m.title}, {"type", "quantitative"}, {"format", ".3~r"}}};
  const json ink{{"condition", {{"test", concat("datum.value > ", m.full / 2)}, {"value", "#fff"}}}, {"value", "#222"}};
  const json words{{"field", "text"}};
  json chart = detail::vega_chart(
      m.title, {{"step", 62}}, {{"step", 30}},
      {detail::vega_layer(drawn, "rect", {{"color", shade}, {"tooltip", tooltip}}),
       detail::vega_layer(drawn, {{"type", "text"}, {"tooltip", false}}, {{"text", words}, {"color", ink}}),
       detail::vega_layer(full, "text", {{"text", words}, {"color", {{"value", "#888"}}}})});
  chart["encoding"] = {{"x", x}, {"y", y}};
  return chart;
}

[[nodiscard]] inline json vega_specification(const scatter& s) {
  json points = json::array();
  for (const auto& [x, y] : s.points) points.push_back({{"x", x}, {"y", y}});
  const json ends{{{"x", 0}, {"y", 0}}, {{"x", s.full}, {"y", s.full}}};
  const json places{{"x", detail::vega_axis("x", s.x_name, s.full)}, {"y", detail::vega_axis("y", s.y_name, s.full)}};
  const json dot{{"type", "point"}, {"filled", true},     {"size", 20},
                 {"opacity", 0.4},  {"color", "#0072B2"}, {"clip", true}};
  return detail::vega_chart(
      s.title, 360, 360,
      {detail::vega_layer(ends, {{"type", "line"}, {"color", "#888"}, {"tooltip", false}}, places),
       detail::vega_layer(points, dot, places)});
}

[[nodiscard]] inline json vega_specification(const box_chart& b) {
  json boxes = json::array();
  double full = 1;
  for (const box_chart::box& one : b.boxes) {
    boxes.push_back({{"name", concat(one.name, " (", one.count, ')')},
                     {"low", one.low},
                     {"from", one.from},
                     {"middle", one.middle},
                     {"to", one.to},
                     {"high", one.high}});
    full = (std::max)(full, std::ceil(one.high));
  }
  json tooltip{{{"field", "name"}, {"title", "of"}}};
  for (const auto& [field, title] : {std::pair{"low", "2nd percentile"},
                                     {"from", "9th percentile"},
                                     {"middle", "median"},
                                     {"to", "91st percentile"},
                                     {"high", "98th percentile"}})
    tooltip.push_back({{"field", field}, {"title", title}, {"type", "quantitative"}, {"format", ".3~r"}});
  const json name{
      {"field", "name"}, {"type", "nominal"}, {"sort", nullptr}, {"title", nullptr}, {"axis", {{"labelLimit", 300}}}};
  const auto span = [&](const char* from, const char* to, json mark) {
    return detail::vega_layer(boxes, std::move(mark),
                              {{"x", detail::vega_axis(from, b.value_name, full)},
                               {"x2", {{"field", to}}},
                               {"y", name},
                               {"tooltip", tooltip}});
  };
  const json median{{"type", "tick"}, {"color", "#08306b"}, {"thickness", 3}, {"size", 18}};
  return detail::vega_chart(
      b.title, 420, {{"step", 34}},
      {span("low", "high", {{"type", "rule"}, {"color", "#888"}}),
       span("from", "to", {{"type", "bar"}, {"size", 18}, {"color", "#9ecae1"}}),
       detail::vega_layer(
           boxes, median,
           {{"x", detail::vega_axis("middle", b.value_name, full)}, {"y", name}, {"tooltip", tooltip}})});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

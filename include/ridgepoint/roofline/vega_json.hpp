// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <ridgepoint/roofline/chart.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

using nlohmann::json;

/// Colour of a pass, from the palette of Okabe and Ito; the marker's shape repeats the information.
[[nodiscard]] constexpr std::string_view colour_of(pass p) noexcept {
  constexpr std::string_view colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"};
  return colours[static_cast<int>(p)];
}

namespace detail {

[[nodiscard]] inline json vega_roofs(const chart& c) {
  json roofs = json::array();
  for (std::size_t i = 0; i < c.roofs.size(); ++i) {
    const chart_roof& r = c.roofs[i];
    for (const auto& [x, y] : {std::pair{r.x0, r.y0}, std::pair{r.x1, r.y1}})
      roofs.push_back(
          {{"roof", i}, {"name", r.label}, {"sloping", r.sloping}, {"launches", r.launches}, {"x", x}, {"y", y}});
  }
  return roofs;
}
/// One text layer of the chart; every label has its own position and is a separate datum.
[[nodiscard]] inline json vega_text(json words, json mark) {
  mark["type"] = "text";
  mark["tooltip"] = false;
  return {{"data", {{"values", std::move(words)}}},
          {"mark", std::move(mark)},
          {"encoding", {{"text", {{"field", "text"}}}}}};
}
[[nodiscard]] inline json vega_labels(const chart& c) {
  json above = json::array(), below = json::array(), flat = json::array(), left = json::array(), ridges = json::array();
  for (const chart_roof& r : c.roofs)
    (r.launches      ? left
     : !r.sloping    ? flat
     : r.label_below ? below
                     : above)
        .push_back({{"x", r.label_x}, {"y", r.label_y}, {"text", r.label}});
  for (const ridge_point& r : c.ridges)
    ridges.push_back({{"x", r.flop_per_byte()},
                      {"y", r.compute.per_s},
                      {"text", r.bandwidth.level + ' ' + figures(r.flop_per_byte())}});
  const double angle = 360 + c.slope_degrees();
  return {vega_text(above, {{"align", "left"}, {"angle", angle}, {"dy", -7}, {"style", "roof"}}),
          vega_text(below, {{"align", "left"}, {"angle", angle}, {"dy", 9}, {"style", "roof"}}),
          vega_text(flat, {{"align", "right"}, {"dy", -8}, {"style", "roof"}}),
          vega_text(left, {{"align", "left"}, {"dx", 4}, {"dy", -8}, {"style", "roof"}}),
          vega_text(ridges, {{"align", "left"}, {"angle", 270}, {"dx", 8}, {"style", "roof"}}),
          {{"data", {{"values", ridges}}},
           {"mark", {{"type", "point"}, {"filled", true}, {"size", 30}, {"style", "ridge"}}}}};
}
[[nodiscard]] inline json vega_points(const chart& c, const profile& p) {
  json points = json::array();
  for (const chart_point& point : c.points) {
    const profile_row& row = p.rows[point.row];
    points.push_back({{"x", point.at.flop_per_byte},
                      {"y", point.at.flop_per_s},
                      {"letter", std::string(1, row_letter(point.row))},
                      {"lx", point.label_x},
                      {"ly", point.label_y},
                      {"area", std::numbers::pi * point.radius * point.radius},
                      {"layer", row.layer},
                      {"pass", to_string(row.pass)},
                      {"shape", row.shape},
                      {"time", quantity(row.elapsed_s, "s")},
                      {"share", figures(100 * point.share) + " %"},
                      {"rate", quantity(point.at.flop_per_s, "FLOP/s")},
                      {"traffic", quantity(point.at.bytes_per_s, "B/s")},
                      {"intensity", figures(point.at.flop_per_byte) + " FLOP/B"},
                      {"roof", figures(100 * point.at.efficiency) + " %"},
                      {"bound", point.at.bound},
                      {"opacity", point.at.above_roof ? 0.25 : 0.75}});
  }
  return points;
}

[[nodiscard]] inline json vega_axis(const char* field, const char* title, const log_axis& a, const char* format) {
  return {{"field", field},
          {"type", "quantitative"},
          {"title", title},
          {"scale", {{"type", "log"}, {"domain", {a.low(), a.high()}}, {"nice", false}}},
          {"axis", {{"format", format}, {"tickCount", a.last - a.first}}}};
}
[[nodiscard]] inline json vega_roof_layer(const chart& c) {
  const json dashes{
      {"condition", {{{"test", "datum.launches"}, {"value", {1, 4}}}, {{"test", "datum.sloping"}, {"value", {1, 0}}}}},
      {"value", {6, 3}}};
  return {
      {"data", {{"values", vega_roofs(c)}}},
      {"mark", {{"type", "line"}, {"style", "roofline"}, {"clip", true}}},
      {"encoding",
       {{"detail", {{"field", "roof"}}}, {"strokeDash", dashes}, {"tooltip", {{"field", "name"}, {"title", "roof"}}}}}};
}
[[nodiscard]] inline json vega_mark_layer(const json& points) {
  json passes = json::array(), colours = json::array(), tooltip = json::array();
  for (const pass one : {pass::forward, pass::backward_data, pass::backward_weights, pass::update, pass::feed}) {
    passes.push_back(to_string(one));
    colours.push_back(colour_of(one));
  }
  for (const auto& [field, title] : {std::pair{"letter", "row"},
                                     {"layer", "layer"},
                                     {"pass", "pass"},
                                     {"shape", "shape"},
                                     {"time", "time"},
                                     {"share", "share of the step"},
                                     {"rate", "achieved"},
                                     {"traffic", "traffic"},
                                     {"intensity", "intensity"},
                                     {"roof", "of its roof"},
                                     {"bound", "bound by"}})
    tooltip.push_back({{"field", field}, {"title", title}, {"type", "nominal"}});
  const json shapes{"circle", "square", "diamond", "triangle-up", "cross"};
  const json as_is{{"type", "quantitative"}, {"scale", nullptr}, {"legend", nullptr}};
  json area = as_is, opacity = as_is;
  area["field"] = "area";
  opacity["field"] = "opacity";
  return {{"name", "marks"},
          {"data", {{"values", points}}},
          {"mark", {{"type", "point"}, {"filled", true}, {"clip", true}}},
          {"encoding",
           {{"size", area},
            {"opacity", opacity},
            {"tooltip", tooltip},
            {"shape", {{"field", "pass"}, {"scale", {{"domain", passes}, {"range", shapes}}}}},
            {"color", {{"field", "pass"}, {"scale", {{"domain", passes}, {"range", colours}}}}}}}};
}
[[nodiscard]] inline json vega_letter_layer(const json& points) {
  return {
      {"data", {{"values", points}}},
      {"mark", {{"type", "text"}, {"fontWeight", "bold"}, {"fontSize", 12}, {"style", "letter"}, {"tooltip", false}}},
      {"encoding",
       {{"x", {{"field", "lx"}, {"type", "quantitative"}}},
        {"y", {{"field", "ly"}, {"type", "quantitative"}}},
        {"text", {{"field", "letter"}}}}}};
}

}  // namespace detail

/// Converts a profile on a machine's roofline to a Vega-Lite chart: FLOP/s over FLOP/B on log axes fixed by the
/// machine, every roof and ridge point labelled, marker area the share of time, colour and shape the pass, details on
/// hover. A mark above its roof is pale.
[[nodiscard]] inline json vega_specification(const profile& p, const machine& on) {
  const chart c = layout(p, on);
  const json points = detail::vega_points(c, p);
  json layers = json::array({detail::vega_roof_layer(c)});
  for (json& label : detail::vega_labels(c)) layers.push_back(std::move(label));
  layers.push_back(detail::vega_mark_layer(points));
  layers.push_back(detail::vega_letter_layer(points));
  const json x = detail::vega_axis("x", "arithmetic intensity, FLOP/B (compulsory traffic)", c.axes.x, "~r");
  const json y = detail::vega_axis("y", "FLOP/s", c.axes.y, "~s");
  return {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
          {"description", "Roofline of " + p.title + " on " + on.name},
          {"width", chart::width},
          {"height", chart::height},
          {"background", nullptr},
          {"encoding", {{"x", x}, {"y", y}}},
          {"layer", std::move(layers)}};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

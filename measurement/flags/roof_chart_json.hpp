// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <ridgepoint/roofline/vega_json.hpp>
#include <ridgepoint/study/charts_json.hpp>

#include "roof_chart.hpp"
#include "vega_parts_json.hpp"

namespace measurement {

using nlohmann::json;

/// Returns orange for definitions, which show the compiler's own work, blue for all others.
inline std::string_view colour_of_kind(std::string_view kind) { return kind == "definition" ? "#D55E00" : "#0072B2"; }

namespace detail {

/// Adds a roof from edge to edge of the chart. `name` identifies it.
inline void add_roof(json& lines, const roof_chart& chart, const build_roof& roof, const char* name) {
  const double ridge = roof.flop_per_s / roof.bytes_per_s, to = chart.axes.x.high();
  const double from = std::clamp(chart.axes.y.low() / roof.bytes_per_s, chart.axes.x.low(), to);
  const std::string words = ridgepoint::concat(ridgepoint::quantity(roof.flop_per_s, "FLOP/s"), ", ",
                                               ridgepoint::quantity(roof.bytes_per_s, "B/s"));
  for (const double x : {from, std::clamp(ridge, from, to), to})
    lines.push_back(
        {{"x", x}, {"y", std::min(roof.flop_per_s, x * roof.bytes_per_s)}, {"name", name}, {"words", words}});
}

}  // namespace detail

/// Plots FLOP/s over FLOP/B on logarithmic axes: the set's own roof as a line, the highest ceilings dashed,
/// benchmarks as letters.
inline json vega_specification(const roof_chart& chart) {
  using ridgepoint::concat, ridgepoint::figures, ridgepoint::quantity;
  json own = json::array(), highest = json::array(), points = json::array();
  detail::add_roof(highest, chart, chart.highest, "highest ceilings, of any set");
  detail::add_roof(own, chart, chart.roof, "of this build");
  for (const roof_point& p : chart.points)
    points.push_back({{"x", p.flop_per_byte()},
                      {"y", p.flop_per_s()},
                      {"letter", std::string(1, ridgepoint::row_letter(p.number))},
                      {"colour", colour_of_kind(p.kind)},
                      {"name", shown(p.name)},
                      {"rate", quantity(p.flop_per_s(), "FLOP/s")},
                      {"intensity", figures(p.flop_per_byte()) + " FLOP/B"},
                      {"own", figures(100 * p.share_of(chart.roof)) + " %"},
                      {"highest", figures(100 * p.share_of(chart.highest)) + " %"}});
  const json roof_tooltip = detail::tooltip_of({{"name", "roof"}, {"words", "reaches"}});
  const json point_tooltip = detail::tooltip_of({{"letter", "letter"},
                                                 {"name", "benchmark"},
                                                 {"rate", "achieved"},
                                                 {"intensity", "intensity"},
                                                 {"own", "of its own roof"},
                                                 {"highest", "of the highest ceilings"}});
  const json dashed{{"type", "line"}, {"clip", true}, {"color", "#8a8a8a"}, {"strokeDash", {6, 3}}};
  const json letters{{"type", "text"}, {"fontWeight", "bold"}, {"fontSize", 12}};
  const json x = ridgepoint::detail::vega_axis("x", "FLOP/B", chart.axes.x, "~r");
  const json y = ridgepoint::detail::vega_axis("y", "FLOP/s", chart.axes.y, "~s");
  json specification = study::detail::vega_chart(
      "Roofline of " + shown(chart.set), 204, 180,
      {study::detail::vega_layer(highest, dashed, {{"tooltip", roof_tooltip}}),
       study::detail::vega_layer(own, {{"type", "line"}, {"style", "roofline"}, {"clip", true}},
                                 {{"tooltip", roof_tooltip}}),
       study::detail::vega_layer(
           points, letters,
           {{"text", {{"field", "letter"}}}, {"color", detail::as_it_is("colour")}, {"tooltip", point_tooltip}})});
  specification["encoding"] = {{"x", x}, {"y", y}};
  specification["title"] = {{"text", shown(chart.set, 40)}, {"anchor", "start"}, {"fontSize", 12}};
  return specification;
}

}  // namespace measurement

// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <ridgepoint/roofline/html_json.hpp>
#include <ridgepoint/study/charts.hpp>
#include <ridgepoint/study/sweep.hpp>

/// \file
/// The charts of sweeps as Vega-Lite specifications that need no other file, and the page of a sweep.
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
/// A quantitative axis from `low` to `full`, never sorted or extended.
[[nodiscard]] inline json vega_axis(const char* field, const std::string& title, double full, double low = 0) {
  return {{"field", field},
          {"type", "quantitative"},
          {"title", title},
          {"scale", {{"domain", {low, full}}, {"nice", false}}}};
}

/// One row per name, in the order of the values.
[[nodiscard]] inline json vega_names() {
  return {
      {"field", "name"}, {"type", "nominal"}, {"sort", nullptr}, {"title", nullptr}, {"axis", {{"labelLimit", 300}}}};
}
/// Marks that reach from the axis' field to field `to`, one per name.
[[nodiscard]] inline json vega_span(json values, json mark, json axis, const char* to, json tooltip) {
  return vega_layer(
      std::move(values), std::move(mark),
      {{"x", std::move(axis)}, {"x2", {{"field", to}}}, {"y", vega_names()}, {"tooltip", std::move(tooltip)}});
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
  json layers = json::array({detail::vega_layer(points, dot, places)});
  if (s.has_equality_line)
    layers.insert(layers.begin(),
                  detail::vega_layer(ends, {{"type", "line"}, {"color", "#888"}, {"tooltip", false}}, places));
  return detail::vega_chart(s.title, 360, 360, layers);
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
  const auto span = [&](const char* from, const char* to, json mark) {
    return detail::vega_span(boxes, std::move(mark), detail::vega_axis(from, b.value_name, full), to, tooltip);
  };
  const json median{{"type", "tick"}, {"color", "#08306b"}, {"thickness", 3}, {"size", 18}};
  return detail::vega_chart(b.title, 420, {{"step", 34}},
                            {span("low", "high", {{"type", "rule"}, {"color", "#888"}}),
                             span("from", "to", {{"type", "bar"}, {"size", 18}, {"color", "#9ecae1"}}),
                             detail::vega_layer(boxes, median,
                                                {{"x", detail::vega_axis("middle", b.value_name, full)},
                                                 {"y", detail::vega_names()},
                                                 {"tooltip", tooltip}})});
}

[[nodiscard]] inline json vega_specification(const bar_chart& b) {
  json bars = json::array();
  double full = b.full;
  for (const bar_chart::bar& one : b.bars) {
    bars.push_back({{"name", one.name}, {"zero", 0}, {"low", one.low}, {"value", one.value}, {"high", one.high}});
    full = (std::max)({full, std::abs(one.low), std::abs(one.high)});
  }
  json tooltip{{{"field", "name"}, {"title", "of"}}};
  for (const auto& [field, title] : {std::pair{"value", b.value_name.c_str()}, {"low", "from"}, {"high", "to"}})
    tooltip.push_back({{"field", field}, {"title", title}, {"type", "quantitative"}, {"format", ".2f"}});
  const auto span = [&](const char* from, const char* to, json mark) {
    return detail::vega_span(bars, std::move(mark), detail::vega_axis(from, b.value_name, full, -full), to, tooltip);
  };
  return detail::vega_chart(b.title, 420, {{"step", 28}},
                            {span("zero", "value", {{"type", "bar"}, {"size", 14}, {"color", "#9ecae1"}}),
                             span("low", "high", {{"type", "rule"}, {"color", "#08306b"}})});
}

/// Every chart of a sweep, as markup.
[[nodiscard]] inline std::string sweep_charts(const std::vector<sweep_row>& rows, const sweep_chips& chips,
                                              const std::string& width_name) {
  const heat_map used = map_of(rows, "utilisation", width_name, 100, used_percent),
                 on_gpu = map_of(rows, "utilisation of the GPU", width_name, 100, gpu_used_percent),
                 waits = map_of(rows, "infeed", width_name, 100, infeed_percent);
  scatter cores{.title = "one core against the board",
                .x_name = "one core, % of its quoted peak",
                .y_name = concat(chips.board.cores(), " cores, %"),
                .points = {}};
  for (const sweep_row& r : rows)
    if (r.fits && !std::isnan(r.one_core_utilisation))
      cores.points.emplace_back(100 * r.one_core_utilisation, 100 * r.utilisation);
  const box_chart faster = speed_ups(rows, concat(chips.newer.name, " over ", chips.board.name)),
                  over_gpu = speed_ups_over_gpu(rows, concat(chips.board.name, " over GPU ", chips.gpu.on.name));
  std::string weights;
  if (const std::optional<regression> fit = utilisation_weights(rows))
    weights = concat(
        "<h2>What decides the utilisation</h2>\n<p>Weights of a linear regression, standardised, with 95 % intervals; "
        "R² ",
        figures(fit->r2), ", ", fit->rows, " rows.</p>\n", chart_markup(vega_specification(chart_of(*fit, "weights"))));
  return concat("<h2>Utilisation, % of ", quantity(chips.board.quoted_flop_per_s, "FLOP/s"),
                "</h2>\n<p>##: out of memory.</p>\n", chart_markup(vega_specification(used)), weights,
                "<h2>One core against ", chips.board.cores(), "</h2>\n", chart_markup(vega_specification(cores)),
                "<h2>", escape_markup(faster.title),
                ", twice the batch</h2>\n<p>Bar: 9th to 91st percentile; line: median; whiskers: 2nd and 98th. "
                "Ops are classed by what binds them on ",
                escape_markup(chips.board.name), ".</p>\n", chart_markup(vega_specification(faster)), "<h2>",
                escape_markup(over_gpu.title), " in ", to_string(chips.gpu.in), ", the same batch</h2>\n",
                chart_markup(vega_specification(over_gpu)), "<h2>Utilisation of GPU ", escape_markup(chips.gpu.on.name),
                ", % of ", quantity(chips.gpu.on.peak_flop_per_s(chips.gpu.in), "FLOP/s"),
                "</h2>\n<p>##: out of memory.</p>\n", chart_markup(vega_specification(on_gpu)),
                "<h2>Share of the step spent waiting for the host, %</h2>\n", chart_markup(vega_specification(waits)));
}

/// Page with every chart of a sweep, marked as modelled.
[[nodiscard]] inline std::string sweep_page(const std::vector<sweep_row>& rows, const sweep_chips& chips,
                                            const std::string& family, const std::string& width_name,
                                            std::string_view vega_bundle = {}) {
  return page(concat("Modelled: ", family, " on TPU ", chips.board.name, ", ", chips.board.cores(), " cores"),
              concat("<p>", rows.size(),
                     " networks and batches. Nothing here was measured; docs/tpu.md compares the model with "
                     "measurements.</p>\n",
                     sweep_charts(rows, chips, width_name)),
              vega_bundle);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <ridgepoint/study/charts_json.hpp>

#include "ladder_chart.hpp"
#include "vega_parts_json.hpp"

/// \file
/// The ladders of `ridgepoint flags` as self-contained Vega-Lite specifications.
namespace measurement {

using nlohmann::json;

/// Returns the colour of a verdict, from the palette of Okabe and Ito; the shape encodes the verdict as well.
inline std::string_view colour_of(study::verdict v) {
  constexpr std::string_view colours[] = {"#009E73", "#D55E00", "#0072B2", "#8a8a8a"};
  return colours[static_cast<int>(v)];
}
inline std::string_view shape_of(study::verdict v) {
  constexpr std::string_view shapes[] = {"triangle-up", "triangle-down", "square", "circle"};
  return shapes[static_cast<int>(v)];
}

/// Returns the fill of a cell: red if a guarantee is lost, numbers from almost white to dark blue, readable in grey.
inline std::string fill_of(const accuracy_cell& cell) {
  using enum cell_state;
  if (cell.state != number) return cell.state == good ? "#e4e4e4" : cell.state == other ? "#F0B44A" : "#C62828";
  constexpr int best[] = {0xef, 0xf3, 0xff}, worst[] = {0x08, 0x30, 0x6b};
  std::string colour = "#";
  for (int i = 0; i < 3; ++i) {
    const int part = static_cast<int>(std::lround(best[i] + cell.shade * (worst[i] - best[i])));
    for (const int digit : {part / 16, part % 16}) colour += "0123456789abcdef"[digit];
  }
  return colour;
}
inline std::string_view ink_of(const accuracy_cell& cell) {
  const bool is_dark = cell.state == cell_state::lost || cell.shade > 0.5;
  return is_dark ? "#fff" : "#222";
}

namespace detail {

/// Returns the pixels per set that let all sets fit, but no fewer than the words need.
inline int column_width(const ladder_chart& chart) {
  const std::size_t sets = chart.ladders[0].rungs.size();
  return sets <= 9 ? 29 : sets <= 18 ? 27 : 24;
}

/// Encodes the sets from left to right in the order of the ladder.
inline json sets_across(const ladder_chart::ladder& ladder, json axis) {
  json names = json::array();
  for (const ladder_rung& rung : ladder.rungs) names.push_back(rung.set);
  return {{"field", "set"},
          {"type", "nominal"},
          {"scale", {{"domain", std::move(names)}, {"padding", 0}}},
          {"axis", std::move(axis)}};
}
/// Returns the axis with the names of the sets, for the lowest part of a ladder; the parts above have none.
inline json named_axis() {
  return {{"title", nullptr}, {"labelAngle", -65}, {"labelLimit", 200}, {"domain", false}, {"ticks", false}};
}

inline json rung_data(const ladder_chart::ladder& ladder) {
  json rungs = json::array();
  for (const ladder_rung& rung : ladder.rungs) {
    if (rung.row == nullptr) continue;
    const study::compared_row& c = rung.row->compared;
    rungs.push_back({{"set", rung.set},
                     {"speedup", c.speedup},
                     {"low", c.range.low},
                     {"high", c.range.high},
                     {"one", 1},
                     {"colour", colour_of(c.verdict)},
                     {"shape", shape_of(c.verdict)},
                     {"time", ridgepoint::quantity(c.median_b, c.unit)},
                     {"words", rung.words}});
  }
  return rungs;
}
/// Draws speed-ups with their intervals, the gate as a band and 1 as a line; failed sets give the reason, bottom up.
inline json ladder_part(const ladder_chart& chart, const ladder_chart::ladder& ladder, json y_axis, json x_axis) {
  constexpr int height = 150;
  const json across = sets_across(ladder, std::move(x_axis)), rungs = rung_data(ladder);
  json failed = json::array();
  for (const ladder_rung& rung : ladder.rungs)
    if (rung.row == nullptr) failed.push_back({{"set", rung.set}, {"words", rung.words}, {"low", chart.low}});
  const auto up = [&](const char* field) -> json {
    return {{"field", field},
            {"type", "quantitative"},
            {"scale", {{"type", "log"}, {"domain", {chart.low, chart.high}}, {"nice", false}}},
            {"axis", y_axis}};
  };
  const json tooltip = tooltip_of({{"set", "set"}, {"time", "takes"}, {"words", "speed-up"}});
  const auto layer = [&](json mark, json encoding) {
    encoding["x"] = across;
    encoding["color"] = as_it_is("colour");
    encoding["tooltip"] = tooltip;
    return study::detail::vega_layer(rungs, std::move(mark), std::move(encoding));
  };
  const json gate{{{"low", std::max(chart.low, 1 / (1 + chart.gate))}, {"high", 1 + chart.gate}, {"one", 1}}};
  const json word_mark{{"type", "text"}, {"angle", 270},   {"align", "left"},     {"baseline", "middle"},
                       {"dx", 4},        {"fontSize", 10}, {"limit", height - 8}, {"style", "roof"}};
  return {
      {"width", {{"step", column_width(chart)}}},
      {"height", height},
      {"title", {{"text", ladder.title}, {"anchor", "start"}, {"fontSize", 12}, {"fontWeight", "normal"}}},
      {"layer",
       {study::detail::vega_layer(gate, {{"type", "rect"}, {"color", "#888"}, {"opacity", 0.25}, {"tooltip", false}},
                                  {{"y", up("low")}, {"y2", {{"field", "high"}}}}),
        study::detail::vega_layer(gate, {{"type", "rule"}, {"style", "roofline"}, {"tooltip", false}},
                                  {{"y", up("one")}}),
        layer({{"type", "bar"}, {"opacity", 0.35}, {"width", {{"band", 0.6}}}},
              {{"y", up("one")}, {"y2", {{"field", "speedup"}}}}),
        layer({{"type", "rule"}, {"strokeWidth", 2}}, {{"y", up("low")}, {"y2", {{"field", "high"}}}}),
        layer({{"type", "point"}, {"filled", true}, {"opacity", 1}, {"size", 55}},
              {{"y", up("speedup")}, {"shape", as_it_is("shape")}}),
        study::detail::vega_layer(failed, word_mark,
                                  {{"x", across},
                                   {"y", up("low")},
                                   {"text", {{"field", "words"}}},
                                   {"tooltip", tooltip_of({{"set", "set"}, {"words", "no speed-up"}})}})}}};
}

/// Draws a row of cells for each accuracy finding.
inline json strip_part(const ladder_chart& chart, const ladder_chart::ladder& ladder, json y_axis) {
  constexpr int height = 17;
  json cells = json::array();
  for (const ladder_rung& rung : ladder.rungs)
    for (const accuracy_cell& cell : rung.cells)
      cells.push_back({{"set", rung.set},
                       {"of", cell.of},
                       {"text", cell.text},
                       {"words", cell.words},
                       {"fill", fill_of(cell)},
                       {"ink", ink_of(cell)}});
  const json tooltip = tooltip_of({{"set", "set"}, {"words", "numbers"}});
  const json rectangle{{"type", "rect"}, {"strokeWidth", 1}, {"stroke", "#8888"}};
  const json words{{"type", "text"}, {"fontSize", column_width(chart) < 27 ? 9 : 10}, {"tooltip", false}};
  const json down{{"field", "of"},
                  {"type", "nominal"},
                  {"title", nullptr},
                  {"scale", {{"domain", chart.strip}, {"padding", 0}}},
                  {"axis", std::move(y_axis)}};
  return {{"width", {{"step", column_width(chart)}}},
          {"height", {{"step", height}}},
          {"encoding", {{"x", sets_across(ladder, named_axis())}, {"y", down}}},
          {"layer",
           {study::detail::vega_layer(cells, rectangle, {{"color", as_it_is("fill")}, {"tooltip", tooltip}}),
            study::detail::vega_layer(cells, words, {{"text", {{"field", "text"}}}, {"color", as_it_is("ink")}})}}};
}

}  // namespace detail

/// Places the ladders side by side, or one below the other if they have more than 18 sets, each with its strip below
/// it if its benchmarks report accuracy.
inline json vega_specification(const ladder_chart& chart) {
  const bool in_row = chart.ladders[0].rungs.size() <= 18;
  json ladders = json::array();
  const json plain{{"title", nullptr}, {"labels", false}, {"ticks", false}, {"domain", false}};
  json ratios{{"title", "speed-up over " + shown(chart.base, 24)}, {"format", "~r"}, {"values", chart.ticks}},
      empty = plain;
  json names{{"title", nullptr}, {"ticks", false}, {"domain", false}, {"labelPadding", 6}};
  empty["values"] = chart.ticks;
  for (const ladder_chart::ladder& ladder : chart.ladders) {
    const bool has_strip = !chart.strip.empty(), has_axis = !in_row || &ladder == chart.ladders.data();
    json parts = json::array();
    parts.push_back(detail::ladder_part(chart, ladder, has_axis ? ratios : empty,
                                        has_strip ? json(nullptr) : detail::named_axis()));
    if (has_strip) parts.push_back(detail::strip_part(chart, ladder, has_axis ? names : plain));
    ladders.push_back({{"vconcat", std::move(parts)}, {"spacing", 6}});
  }
  return {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
          {"description", "Speed-ups of " + shown(chart.name)},
          {"spacing", 14},
          {in_row ? "hconcat" : "vconcat", std::move(ladders)}};
}

}  // namespace measurement

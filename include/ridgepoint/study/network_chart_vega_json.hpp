// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <ridgepoint/roofline/vega_json.hpp>
#include <ridgepoint/study/network_chart.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

using nlohmann::json;

namespace detail {

/// Colours of machines, from the palette of Okabe and Ito; shapes and labels repeat the information.
inline constexpr std::string_view machine_colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                       "#E69F00", "#56B4E9", "#8A8A8A", "#A6761D"};
inline constexpr std::string_view machine_shapes[] = {"circle",        "square",         "diamond",       "triangle-up",
                                                      "triangle-down", "triangle-right", "triangle-left", "cross"};
inline constexpr std::size_t most_machines = std::size(machine_colours);

/// Label next to a line; labels of close lines get different heights.
struct line_words {
  std::string text;
  double height = 0;  // in pixels from the top
};
inline void keep_separate(std::vector<line_words>& words) {
  std::stable_sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.height > b.height; });
  for (std::size_t i = 1; i < words.size(); ++i)
    words[i].height = (std::min)(words[i].height, words[i - 1].height - 14);
}
[[nodiscard]] inline json vega_line_words(std::vector<line_words> words, const chart& frame, const char* align) {
  keep_separate(words);
  json values = json::array();
  for (const line_words& w : words)
    values.push_back({{"x", align[0] == 'l' ? frame.axes.x.low() : frame.axes.x.high()},
                      {"y", frame.at_pixel_y((std::max)(w.height, 6.0))},
                      {"text", w.text}});
  return ridgepoint::detail::vega_text(std::move(values),
                                       {{"align", align}, {"dx", align[0] == 'l' ? 4 : 0}, {"style", "roof"}});
}

/// The roofs of every machine, with labels.
[[nodiscard]] inline std::vector<json> vega_machine_roofs(const network_chart& c, const chart& frame) {
  json lines = json::array();
  std::vector<line_words> flats, launches;
  const double low = frame.axes.x.low(), high = frame.axes.x.high();
  const auto add_line = [&](std::size_t i, const char* kind, const std::string& name, double x, double y) {
    lines.push_back({{"line", concat(i, ' ', kind)},
                     {"launches", *kind == 'l'},
                     {"colour", machine_colours[i % most_machines]},
                     {"name", name},
                     {"x", x},
                     {"y", y}});
  };
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const chart_step& s = c.steps[i];
    const ceiling *flat = s.peak(), *slope = s.memory();
    if (s.origin == origin::none || flat == nullptr || slope == nullptr) continue;
    const std::string name = concat(s.name, ' ', s.dtype(), ' ', quantity(flat->per_s, "FLOP/s"), ", ", slope->level,
                                    ' ', quantity(slope->per_s, "B/s"));
    const double start = (std::max)(low, frame.axes.y.low() / slope->per_s), ridge = flat->per_s / slope->per_s;
    for (const double x : {start, std::clamp(ridge, start, high), high})
      add_line(i, "roof", name, x, (std::min)(flat->per_s, x * slope->per_s));
    flats.push_back({name, frame.pixel_y(flat->per_s) - 8});
    const double per_s = launch_roof_flop_per_s(s.machine, s.profile);
    if (per_s < frame.axes.y.low() || per_s > frame.axes.y.high()) continue;
    const std::string words = concat(s.name, " launches ", launches_of(s), ": ", quantity(per_s, "FLOP/s"));
    for (const double x : {low, high}) add_line(i, "launches", words, x, per_s);
    launches.push_back({words, frame.pixel_y(per_s) - 8});
  }
  const json dashes{{"condition", {{"test", "datum.launches"}, {"value", {1, 4}}}}, {"value", {1, 0}}};
  const json as_it_is{{"field", "colour"}, {"type", "nominal"}, {"scale", nullptr}, {"legend", nullptr}};
  return {{{"data", {{"values", std::move(lines)}}},
           {"mark", {{"type", "line"}, {"clip", true}, {"strokeWidth", 1.5}}},
           {"encoding",
            {{"detail", {{"field", "line"}}},
             {"color", as_it_is},
             {"strokeDash", dashes},
             {"tooltip", {{"field", "name"}, {"title", "roof"}}}}}},
          vega_line_words(std::move(flats), frame, "right"),
          vega_line_words(std::move(launches), frame, "left")};
}

/// Datum of a mark: the common fields of a machine's marks, and the tooltip.
[[nodiscard]] inline json vega_mark(const chart_step& s, const profile_row& row, double step_s, double area,
                                    std::string_view bound, double share_of_roof) {
  const auto flop = static_cast<double>(row.receipt.flop);
  return {{"x", row.receipt.flop_per_byte()},
          {"y", flop / row.elapsed_s},
          {"machine", legend_of(s)},
          {"layer", row.layer},
          {"pass", to_string(row.pass)},
          {"shape", row.shape},
          {"area", area},
          {"time", quantity(row.elapsed_s, "s")},
          {"share", figures(100 * row.elapsed_s / step_s) + " %"},
          {"rate", quantity(flop / row.elapsed_s, "FLOP/s")},
          {"intensity", figures(row.receipt.flop_per_byte()) + " FLOP/B"},
          {"roof", figures(100 * share_of_roof) + " %"},
          {"bound", bound}};
}
/// The charted_rows() of each step, and the whole step.
[[nodiscard]] inline json vega_marks(const network_chart& c) {
  json marks = json::array();
  for (const chart_step& s : c.steps) {
    for (const profile_row* row : charted_rows(s)) {
      const placement at = place(s.machine, s.profile, *row);
      const double area = 20 + 180 * row->elapsed_s / s.profile.step_s;
      marks.push_back(vega_mark(s, *row, s.profile.step_s, area, at.bound, at.efficiency));
    }
  }
  for (const chart_step& s : c.steps) {
    const profile_row whole{
        .layer = "the whole step", .shape = "", .receipt = s.profile.receipt(), .elapsed_s = s.profile.step_s};
    if (whole.receipt.flop > 0 && whole.elapsed_s > 0 && whole.receipt.bytes.total() > 0)
      marks.push_back(
          vega_mark(s, whole, s.profile.step_s, 420, step_roofs_of(s.machine, s.profile).bound(), s.roof_share()));
  }
  return marks;
}
[[nodiscard]] inline json vega_mark_layer(const network_chart& c) {
  json names = json::array(), colours = json::array(), fills = json::array(), shapes = json::array(),
       tooltip = json::array();
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    if (c.steps[i].origin == origin::none) continue;
    const std::string_view colour = machine_colours[i % most_machines];
    names.push_back(legend_of(c.steps[i]));
    colours.push_back(colour);
    fills.push_back(c.steps[i].origin == origin::measured ? colour : "transparent");
    shapes.push_back(machine_shapes[i % most_machines]);
  }
  for (const auto& [field, title] : {std::pair{"machine", "machine"},
                                     {"layer", "layer"},
                                     {"pass", "pass"},
                                     {"shape", "shape"},
                                     {"time", "time"},
                                     {"share", "share of the step"},
                                     {"rate", "rate"},
                                     {"intensity", "intensity"},
                                     {"roof", "of its roof"},
                                     {"bound", "bound by"}})
    tooltip.push_back({{"field", field}, {"title", title}, {"type", "nominal"}});
  const auto by_machine = [&](const json& range) {
    return json{{"field", "machine"},
                {"type", "nominal"},
                {"title", "filled: measured, hollow: modelled"},
                {"legend", {{"titleLimit", 400}}},
                {"scale", {{"domain", names}, {"range", range}}}};
  };
  return {{"name", "marks"},
          {"data", {{"values", vega_marks(c)}}},
          {"mark", {{"type", "point"}, {"clip", true}, {"strokeWidth", 2}}},
          {"encoding",
           {{"size", {{"field", "area"}, {"type", "quantitative"}, {"scale", nullptr}, {"legend", nullptr}}},
            {"stroke", by_machine(colours)},
            {"fill", by_machine(fills)},
            {"shape", by_machine(shapes)},
            {"tooltip", tooltip}}}};
}
/// The letter of each step, on its mark.
[[nodiscard]] inline json vega_letters(const network_chart& c) {
  json letters = json::array();
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const chart_step& s = c.steps[i];
    if (const double x = s.profile.receipt().flop_per_byte(); x > 0 && s.flop_per_s() > 0)
      letters.push_back({{"x", x}, {"y", s.flop_per_s()}, {"text", std::string(1, letter_of(c, i))}});
  }
  return ridgepoint::detail::vega_text(
      std::move(letters), {{"fontWeight", "bold"}, {"fontSize", 12}, {"dx", 16}, {"dy", -10}, {"style", "letter"}});
}

}  // namespace detail

/// Converts steps of one network on several machines to a Vega-Lite chart: FLOP/s over FLOP/B on log axes, each
/// machine's peak, its largest memory and, dotted, the roof of launches; marks are the step and its longest ops, filled
/// if measured, hollow if modelled, with a shape and a colour for each machine.
[[nodiscard]] inline json vega_specification(const network_chart& c) {
  const chart frame{.axes = axes_of(c), .roofs = {}, .ridges = {}, .points = {}, .hidden = {}};
  json layers = json::array();
  for (json& layer : detail::vega_machine_roofs(c, frame)) layers.push_back(std::move(layer));
  layers.push_back(detail::vega_mark_layer(c));
  layers.push_back(detail::vega_letters(c));
  const json x =
      ridgepoint::detail::vega_axis("x", "arithmetic intensity, FLOP/B (compulsory traffic)", frame.axes.x, "~r");
  const json y = ridgepoint::detail::vega_axis("y", "FLOP/s", frame.axes.y, "~s");
  return {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
          {"description", c.network + " on several machines"},
          {"width", chart::width},
          {"height", chart::height},
          {"background", nullptr},
          {"encoding", {{"x", x}, {"y", y}}},
          {"layer", std::move(layers)}};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <ridgepoint/roofline/html_json.hpp>
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

/// Converts a chart of one network to a JSON document, schema "ridgepoint.chart", version 1: for each machine whether
/// its step is measured, modelled or missing, and its roofline as in roofline.json.
[[nodiscard]] inline json to_json_document(const network_chart& c) {
  json machines = json::array();
  for (const chart_step& s : c.steps) {
    json one{{"name", s.name}, {"step_is", to_string(s.origin)}, {"how", s.how}, {"note", s.note}};
    if (s.origin != origin::none) {
      const step_roofs roofs = step_roofs_of(s.machine, s.profile);
      const auto rate = [](const ceiling* of) { return of != nullptr ? json(of->per_s) : json(nullptr); };
      one["step"] = {{"dtype", s.dtype()},
                     {"peak_flop_per_s", rate(s.peak())},
                     {"memory_bytes_per_s", rate(s.memory())},
                     {"launch_s", s.machine.launch_s},
                     {"launches", s.profile.launches()},
                     {"step_s", s.profile.step_s},
                     {"flop", s.profile.receipt().flop},
                     {"flop_per_byte", s.profile.receipt().flop_per_byte()},
                     {"flop_per_s", s.flop_per_s()},
                     {"compute_roof_s", roofs.compute_s},
                     {"memory_roof_s", roofs.memory_s},
                     {"launch_roof_s", roofs.launch_s},
                     {"roof_share", s.roof_share()},
                     {"bound", roofs.bound()}};
      one["roofline"] = ridgepoint::to_json_document(s.profile, s.machine, s.at);
    }
    machines.push_back(std::move(one));
  }
  return {{"schema", "ridgepoint.chart"}, {"schema_version", 1}, {"flop_per_mac", 2},
          {"network", c.network},         {"batch", c.batch},    {"machines", std::move(machines)}};
}

namespace detail {

[[nodiscard]] inline std::string html_table(const std::vector<const char*>& heads, const std::string& rows) {
  std::string out = "<div class='wide'><table><thead><tr>";
  for (const char* head : heads) out += concat("<th>", head, "</th>");
  return concat(out, "</tr></thead><tbody>\n", rows, "</tbody></table></div>\n");
}
[[nodiscard]] inline std::string html_steps(const network_chart& c) {
  using ridgepoint::detail::html_cell;
  std::string out;
  const auto rate = [](const ceiling* of) { return of != nullptr ? html_cell(1e-9 * of->per_s) : html_cell("-"); };
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const chart_step& s = c.steps[i];
    out +=
        concat("<tr>", html_cell(std::string(1, letter_of(c, i))), html_cell(s.name), html_cell(to_string(s.origin)));
    if (s.origin == origin::none) {
      for (int empty = 0; empty < 9; ++empty) out += html_cell("-");
    } else {
      const profile& p = s.profile;
      out += concat(html_cell(s.dtype()), rate(s.peak()), rate(s.memory()), html_cell(launches_of(s)),
                    html_cell(1e3 * p.step_s), html_cell(static_cast<double>(c.batch) / p.step_s),
                    html_cell(1e-9 * s.flop_per_s()), html_cell(100 * s.roof_share()),
                    html_cell(step_roofs_of(s.machine, p).bound()));
    }
    out += "</tr>\n";
  }
  return out;
}
/// Lists the origin of each step.
[[nodiscard]] inline std::string html_info(const network_chart& c) {
  std::string out = "<ul>\n";
  for (std::size_t i = 0; i < c.steps.size(); ++i) out += concat("<li>", escape_markup(info_of(c, i)), "</li>\n");
  return out + "</ul>\n";
}
[[nodiscard]] inline std::string html_ops(const network_chart& c) {
  using ridgepoint::detail::html_cell;
  std::string out;
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const chart_step& s = c.steps[i];
    for (const profile_row& row : s.profile.rows) {
      const placement at = place(s.machine, s.profile, row);
      const double share = s.profile.step_s > 0 ? row.elapsed_s / s.profile.step_s : 0;
      out += concat("<tr>", html_cell(std::string(1, letter_of(c, i))), html_cell(s.name), html_cell(row.layer),
                    html_cell(to_string(row.pass)), html_cell(row.shape),
                    html_cell(1e-9 * static_cast<double>(row.receipt.flop)), html_cell(at.flop_per_byte),
                    html_cell(1e3 * row.elapsed_s), html_cell(100 * share), html_cell(1e-9 * at.flop_per_s),
                    html_cell(100 * at.efficiency), html_cell(at.marked_bound()), "</tr>\n");
    }
  }
  return out;
}

}  // namespace detail

/// Page of a chart: the chart, a table of the machines, a table of all ops (click a header to sort), and the chart as
/// JSON; page() describes `vega_bundle`.
[[nodiscard]] inline std::string html(const network_chart& c, std::string_view vega_bundle = {}) {
  std::string body =
      concat("<p>A step of training, batch ", c.batch, ". ", network_chart_legend, ". 1 multiply-add = 2 FLOP.</p>\n");
  for (const chart_step& s : c.steps) {
    auto doubts = s.at ? suspicions(*s.at) : std::vector<std::string>();
    for (std::string& doubt : suspicions(s.profile, s.machine)) doubts.push_back(std::move(doubt));
    for (const std::string& doubt : doubts)
      body += concat("<p class='doubt'>", escape_markup(concat(s.name, ": ", doubt)), "</p>\n");
  }
  body += concat(
      chart_markup(vega_specification(c), "roofline"),
      "<p>Large marks with letters are steps, small ones their ops of 1 % of the time or more; filled and capital: "
      "measured, hollow and small: modelled. Lines: peak and largest memory; dotted: the limit that kernel or op "
      "launches set for the whole step. A mark above its slope finds data in a cache.</p>\n<h2>Machines</h2>\n",
      detail::html_table({"", "machine", "step is", "format", "peak, GFLOP/s", "memory, GB/s", "launches", "step, ms",
                          "samples/s", "GFLOP/s", "% of its roof", "bound by"},
                         detail::html_steps(c)),
      detail::html_info(c), "<h2>Ops</h2>\n<p>", ridge_legend, ". ", above_roof_legend, ". ", fewer_flop_legend,
      ".</p>\n",
      detail::html_table({"", "machine", "layer", "pass", "shape", "GFLOP", "FLOP/B", "time, ms", "share, %", "GFLOP/s",
                          "% of roof", "bound by"},
                         detail::html_ops(c)),
      "<script type='application/json' id='run'>", ridgepoint::detail::script_json(to_json_document(c)), "</script>\n");
  return page(c.network + " on several machines", body, vega_bundle);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

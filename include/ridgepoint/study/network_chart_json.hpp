// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <ridgepoint/roofline/html_json.hpp>
#include <ridgepoint/study/network_chart_vega_json.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

using nlohmann::json;

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

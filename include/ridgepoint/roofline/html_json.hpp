// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/roofline/page_json.hpp>
#include <ridgepoint/roofline/profile_json.hpp>
#include <ridgepoint/roofline/vega_json.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Table cell; numbers carry their sort value.
[[nodiscard]] inline std::string html_cell(std::string_view text) {
  return concat("<td>", escape_markup(text), "</td>");
}
[[nodiscard]] inline std::string html_cell(double value) {
  return concat("<td class='n' data-value='", value, "'>", figures(value), "</td>");
}

/// True if a backend reports the algorithm of a row.
[[nodiscard]] inline bool tells_algorithms(const profile& p) {
  return std::any_of(p.rows.begin(), p.rows.end(), [](const profile_row& r) { return !r.algorithm.empty(); });
}

[[nodiscard]] inline std::string html_rows(const profile& p, const machine& on) {
  std::string out;
  const bool has_algorithms = tells_algorithms(p);
  const auto how = [&](const profile_row& r, const placement& at) {
    if (!has_algorithms) return std::string();
    return r.algorithm.empty() ? std::string("<td></td><td></td>") : html_cell(at.gain) + html_cell(r.algorithm);
  };
  const auto share = [&](double elapsed_s) { return p.step_s > 0 ? 100 * elapsed_s / p.step_s : 0; };
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    const profile_row& r = p.rows[i];
    const placement at = place(on, p, r);
    out += "<tr>" + html_cell(std::string(1, row_letter(i))) + html_cell(r.layer) + html_cell(to_string(r.pass)) +
           html_cell(r.shape) + html_cell(1e-9 * static_cast<double>(r.receipt.flop)) + html_cell(at.flop_per_byte) +
           html_cell(1e3 * r.elapsed_s) + html_cell(share(r.elapsed_s)) + html_cell(1e-9 * at.flop_per_s) +
           html_cell(1e-9 * at.bytes_per_s) + html_cell(100 * at.efficiency) + html_cell(at.marked_bound()) +
           how(r, at) + "</tr>\n";
  }
  const work all = p.receipt();
  out += "</tbody><tbody>";
  if (!exactly(p.residual_s(), 0))
    out += "<tr><td></td><td>residual</td><td></td><td></td><td></td><td></td>" + html_cell(1e3 * p.residual_s()) +
           html_cell(share(p.residual_s())) + "<td></td><td></td><td></td><td></td></tr>\n";
  const double giga_per_s = p.step_s > 0 ? 1e-9 / p.step_s : 0;
  const std::optional<double> score = step_score(on, p);
  return out + "<tr><td></td><td>step</td><td></td><td></td>" + html_cell(1e-9 * static_cast<double>(all.flop)) +
         html_cell(all.flop_per_byte()) + html_cell(1e3 * p.step_s) + html_cell(100) +
         html_cell(giga_per_s * static_cast<double>(all.flop)) +
         html_cell(giga_per_s * static_cast<double>(all.bytes.total())) +
         (score ? html_cell(100 * *score) : html_cell("-")) + "<td></td></tr>\n";
}

/// Explains the dotted roof, if the chart has one.
[[nodiscard]] inline std::string html_launches(const profile& p, const machine& on) {
  const std::string legend = launch_legend(on, p);
  return legend.empty() ? "" : concat(" The dotted roof is that of ", legend, ".");
}
[[nodiscard]] inline std::string html_ceilings(const machine& m) {
  std::string out;
  for (const ceiling& c : m.ceilings) {
    const bool computes = c.kind == ceiling_kind::compute;
    out += "<tr>" + html_cell(to_string(c)) + html_cell(computes ? "" : capacity(c.capacity_bytes)) +
           html_cell(1e-9 * c.per_s) + html_cell(computes ? "GFLOP/s" : "GB/s") +
           (c.measured ? html_cell(100 * c.measured->cv) : html_cell("")) + html_cell(c.source) + "</tr>\n";
  }
  return out;
}

}  // namespace detail

/// Page of a run: the chart, the table of rows (click a header to sort), with algorithms and their executed FLOP if the
/// backend reports them, the machine's ceilings, suspicions, and the whole run as JSON. page() describes `vega_bundle`.
/// A modelled run has no environment.
[[nodiscard]] inline std::string html(const profile& p, const machine& on, const std::optional<environment>& at,
                                      std::string_view vega_bundle = {}) {
  const std::optional<double> score = step_score(on, p);
  std::string body =
      concat("<p>", escape_markup(where_it_ran(p, on)), "; step ", quantity(p.step_s, "s"), "; ",
             score ? concat("the roofline explains ", figures(100 * *score), " % of it") : std::string(no_score_legend),
             ". 1 multiply-add = 2 FLOP.</p>\n");
  auto doubts = at ? suspicions(*at) : std::vector<std::string>();
  for (std::string& doubt : suspicions(p, on)) doubts.push_back(std::move(doubt));
  for (const std::string& doubt : doubts) body += concat("<p class='doubt'>", escape_markup(doubt), "</p>\n");
  body += concat(chart_markup(vega_specification(p, on), "roofline"),
                 "<p>Marker area: share of the step's time. Numbers above the roof: ridge points in FLOP/B. Rows "
                 "without arithmetic are in the table only.",
                 detail::html_launches(p, on), "</p>\n<h2>Rows</h2>\n<p>", ridge_legend, ". ", above_roof_legend, ". ",
                 fewer_flop_legend, ".</p>\n<div class='wide'><table><thead><tr>");
  for (const char* head : {"", "layer", "pass", "shape", "GFLOP", "FLOP/B", "time, ms", "share, %", "GFLOP/s", "GB/s",
                           "% of roof", "bound by"})
    body += concat("<th>", head, "</th>");
  if (detail::tells_algorithms(p)) body += "<th>gain</th><th>algorithm</th>";
  body += concat("</tr></thead><tbody>\n", detail::html_rows(p, on), "</tbody></table></div>\n<h2>Ceilings of ",
                 escape_markup(on.name), "</h2><div class='wide'><table><thead><tr>");
  for (const char* head : {"ceiling", "capacity", "value", "unit", "CV, %", "source"})
    body += concat("<th>", head, "</th>");
  body += concat("</tr></thead><tbody>\n", detail::html_ceilings(on), "</tbody></table></div>\n",
                 "<script type='application/json' id='run'>", detail::script_json(to_json_document(p, on, at)),
                 "</script>\n");
  return page(concat(p.title, " on ", on.name), body, vega_bundle);
}

/// Writes roofline.html atomically. Throws: data_error if it cannot be written.
inline void save_html(const std::string& path, const profile& p, const machine& on,
                      const std::optional<environment>& at, std::string_view vega_bundle = {}) {
  write_file(path, html(p, on, at, vega_bundle));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

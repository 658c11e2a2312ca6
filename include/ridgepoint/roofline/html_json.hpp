// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/atomic_file.hpp>
#include <ridgepoint/roofline/profile_json.hpp>
#include <ridgepoint/roofline/vega_json.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

[[nodiscard]] inline std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}
/// A document inside a <script> element, which nothing in it can end.
[[nodiscard]] inline std::string script_json(const json& document) {
  return replace_all(document.dump(-1, ' ', false, json::error_handler_t::replace), "<", "\\u003c");
}

/// A cell; numbers carry the value they are sorted by.
[[nodiscard]] inline std::string html_cell(std::string_view text) {
  return concat("<td>", escape_markup(text), "</td>");
}
[[nodiscard]] inline std::string html_cell(double value) {
  return concat("<td class='n' data-value='", value, "'>", figures(value), "</td>");
}

[[nodiscard]] inline std::string html_rows(const profile& p, const machine& on) {
  std::string out;
  const auto share = [&](double elapsed_s) { return p.step_s > 0 ? 100 * elapsed_s / p.step_s : 0; };
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    const profile_row& r = p.rows[i];
    const placement at = place(on, p, r);
    out += "<tr>" + html_cell(std::string(1, row_letter(i))) + html_cell(r.layer) + html_cell(to_string(r.pass)) +
           html_cell(r.shape) + html_cell(1e-9 * static_cast<double>(r.receipt.flop)) + html_cell(at.flop_per_byte) +
           html_cell(1e3 * r.elapsed_s) + html_cell(share(r.elapsed_s)) + html_cell(1e-9 * at.flop_per_s) +
           html_cell(1e-9 * at.bytes_per_s) + html_cell(100 * at.efficiency) +
           html_cell(at.bound + (at.above_roof ? " !" : "")) + "</tr>\n";
  }
  const work all = p.receipt();
  out += "</tbody><tbody>";
  if (p.residual_s() != 0)
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

inline constexpr std::string_view html_style = R"(
:root{color-scheme:light dark;--ink:#222;--back:#fff;--line:#ccc;--soft:#f4f4f4}
@media (prefers-color-scheme:dark){:root{--ink:#eee;--back:#181818;--line:#444;--soft:#242424}}
body{font:14px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);max-width:1360px;margin:24px auto;
padding:0 16px;overflow-wrap:break-word}
h1{font-size:22px} h2{font-size:17px;margin-top:32px}
#chart{display:block} #chart svg,#static svg{width:100%;min-width:640px;max-width:1080px;height:auto}
.wide{overflow-x:auto} table{border-collapse:collapse}
td,th{padding:2px 7px;border-bottom:1px solid var(--line)} td{min-width:3em} td:first-child{min-width:0}
th{text-align:left;cursor:pointer;background:var(--soft);vertical-align:bottom;overflow-wrap:normal}
td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
tbody+tbody td{font-weight:bold} .doubt{border-left:4px solid #D55E00;padding-left:8px}
)";

inline constexpr std::string_view html_script = R"(
for (const table of document.querySelectorAll('table'))
  table.querySelectorAll('th').forEach((head, column) => head.addEventListener('click', () => {
    const up = head.dataset.up = head.dataset.up === '1' ? '' : '1', body = table.tBodies[0];
    const key = row => {
      const cell = row.cells[column];
      return cell.dataset.value === undefined ? cell.textContent : +cell.dataset.value;
    };
    const order = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
    [...body.rows].sort((a, b) => (up ? 1 : -1) * order(key(a), key(b))).forEach(row => body.append(row));
  }));
if (window.vegaEmbed) {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches, ink = dark ? '#ddd' : '#333';
  const config = { font: 'system-ui, sans-serif', view: { stroke: null },
    axis: { labelColor: ink, titleColor: ink, domainColor: ink, tickColor: ink, gridColor: dark ? '#3a3a3a' : '#ddd',
            labelFontSize: 12 },
    legend: { labelColor: ink, titleColor: ink, orient: 'bottom' },
    style: { roof: { color: ink, fontSize: 11 }, letter: { color: ink, fontSize: 12 },
             ridge: { color: ink, opacity: 1 }, roofline: { color: ink, strokeWidth: 1.5 } } };
  const spec = JSON.parse(document.getElementById('specification').textContent);
  const actions = { export: true, source: false, compiled: false, editor: false };
  vegaEmbed('#chart', spec, { renderer: 'svg', config, actions })
    .then(() => { document.getElementById('static').remove(); document.body.dataset.chart = 'vega'; });
}
)";

}  // namespace detail

/// One self-contained page: the chart, the table of rows (click a head to sort), the machine's ceilings, what is
/// suspicious, and the whole run as JSON. `vega_bundle` is JavaScript that defines vegaEmbed; with it the chart answers
/// to the pointer, without it the same chart is a static picture. Needs no network. What was modelled has no
/// environment.
[[nodiscard]] inline std::string html(const profile& p, const machine& on, const std::optional<environment>& at,
                                      std::string_view vega_bundle = {}) {
  const std::string title = escape_markup(concat(p.title, " on ", on.name));
  const std::optional<double> score = step_score(on, p);
  std::string page =
      concat("<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>",
             "<meta name='viewport' content='width=device-width'><title>", title, "</title><style>", detail::html_style,
             "</style></head><body>\n<h1>", title, "</h1>\n<p>", escape_markup(where_it_ran(p, on)), "; step ",
             quantity(p.step_s, "s"), "; ",
             score ? concat("the roofline explains ", figures(100 * *score), " % of it") : std::string(no_score_legend),
             ". 1 multiply-add = 2 FLOP.</p>\n");
  auto doubts = at ? suspicions(*at) : std::vector<std::string>();
  for (std::string& doubt : suspicions(p, on)) doubts.push_back(std::move(doubt));
  for (const std::string& doubt : doubts) page += concat("<p class='doubt'>", escape_markup(doubt), "</p>\n");
  page += concat("<div id='chart' class='wide'></div><div id='static' class='wide'>", svg(p, on), "</div>\n",
                 "<p>Marker area: share of the step's time. Numbers above the roof: ridge points in FLOP/B. Rows "
                 "without arithmetic are in the table only.</p>\n<h2>Rows</h2>\n<p>",
                 ridge_legend, ". ", above_roof_legend, ".</p>\n<div class='wide'><table><thead><tr>");
  for (const char* head : {"", "layer", "pass", "shape", "GFLOP", "FLOP/B", "time, ms", "share, %", "GFLOP/s", "GB/s",
                           "% of roof", "bound by"})
    page += concat("<th>", head, "</th>");
  page += concat("</tr></thead><tbody>\n", detail::html_rows(p, on), "</tbody></table></div>\n<h2>Ceilings of ",
                 escape_markup(on.name), "</h2><div class='wide'><table><thead><tr>");
  for (const char* head : {"ceiling", "capacity", "value", "unit", "CV, %", "source"})
    page += concat("<th>", head, "</th>");
  page += concat("</tr></thead><tbody>\n", detail::html_ceilings(on), "</tbody></table></div>\n",
                 "<script type='application/json' id='run'>", detail::script_json(to_json_document(p, on, at)),
                 "</script>\n<script type='application/json' id='specification'>",
                 detail::script_json(vega_specification(p, on)), "</script>\n");
  if (!vega_bundle.empty())
    page += "<script>" + detail::replace_all(std::string(vega_bundle), "</script", "<\\/script") + "</script>\n";
  return page + concat("<script>", detail::html_script, "</script>\n</body></html>\n");
}

/// Writes roofline.html: whole or not at all. Throws: data_error if it can not be written.
inline void save_html(const std::string& path, const profile& p, const machine& on,
                      const std::optional<environment>& at, std::string_view vega_bundle = {}) {
  write_file(path, html(p, on, at, vega_bundle));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <nlohmann/json.hpp>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/files.hpp>
#include <ridgepoint/roofline/markup.hpp>
#include <ridgepoint/roofline/profile_json.hpp>
#include <ridgepoint/roofline/strict_json.hpp>
#include <ridgepoint/roofline/svg_json.hpp>
#include <ridgepoint/roofline/vega_json.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

using nlohmann::json;

namespace detail {

[[nodiscard]] inline std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}
/// Embeds a document in a <script> element; no content can end the element.
[[nodiscard]] inline std::string script_json(const json& document) {
  return replace_all(json_text(document, -1), "<", "\\u003c");
}

inline constexpr std::string_view page_style = R"(
:root{color-scheme:light dark;--ink:#222;--back:#fff;--line:#ccc;--soft:#f4f4f4}
@media (prefers-color-scheme:dark){:root{--ink:#eee;--back:#181818;--line:#444;--soft:#242424}}
body{font:14px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);max-width:1360px;margin:24px auto;
padding:0 16px;overflow-wrap:break-word}
h1{font-size:22px} h2{font-size:17px;margin-top:32px}
.chart>div,.chart>svg{display:block}
.roofline>svg,.roofline svg.marks{width:100%;min-width:640px;max-width:1080px;height:auto}
.wide{overflow-x:auto} table{border-collapse:collapse}
td,th{padding:2px 7px;border-bottom:1px solid var(--line)} td{min-width:3em} td:first-child{min-width:0}
th{text-align:left;cursor:pointer;background:var(--soft);vertical-align:bottom;overflow-wrap:normal}
td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
tbody+tbody td{font-weight:bold} .doubt{border-left:4px solid #D55E00;padding-left:8px}
.panels{display:flex;flex-wrap:wrap;gap:4px 28px} .panels>*{min-width:0;max-width:100%}
h3{font-size:14px;margin:16px 0 4px;width:0;min-width:100%;overflow-wrap:anywhere}
td.name{overflow-wrap:anywhere;min-width:6em;max-width:20em} td.c{min-width:2em;text-align:center}
td.lost{background:#C62828;color:#fff} summary{cursor:pointer;white-space:nowrap}
td details{position:relative}
details code{position:absolute;right:0;z-index:1;width:50em;max-width:80vw;padding:8px;background:var(--back);
border:1px solid var(--line);white-space:pre-wrap;overflow-wrap:anywhere;user-select:all}
)";

inline constexpr std::string_view page_script = R"(
for (const table of document.querySelectorAll('table')) {
  const heads = [...table.querySelectorAll('th')];
  heads.forEach((head, column) => {
    head.tabIndex = 0;
    head.addEventListener('keydown', event => { if (event.key === 'Enter') head.click(); });
    head.addEventListener('click', () => {
      const up = head.getAttribute('aria-sort') !== 'ascending', body = table.tBodies[0];
      const key = row => {
        const cell = row.cells[column];
        return cell.dataset.value === undefined ? cell.textContent : +cell.dataset.value;
      };
      const order = (a, b) =>
        typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
      [...body.rows].sort((a, b) => (up ? 1 : -1) * order(key(a), key(b))).forEach(row => body.append(row));
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    });
  });
}
if (window.vegaEmbed) {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches, ink = dark ? '#ddd' : '#333';
  const config = { font: 'system-ui, sans-serif', view: { stroke: null }, background: null,
    axis: { labelColor: ink, titleColor: ink, domainColor: ink, tickColor: ink, gridColor: dark ? '#3a3a3a' : '#ddd',
            labelFontSize: 12 },
    legend: { labelColor: ink, titleColor: ink, orient: 'bottom' }, title: { color: ink },
    style: { roof: { color: ink, fontSize: 11 }, letter: { color: ink, fontSize: 12 },
             ridge: { color: ink, opacity: 1 }, roofline: { color: ink, strokeWidth: 1.5 } } };
  const actions = { export: true, source: false, compiled: false, editor: false };
  for (const chart of document.querySelectorAll('.chart')) {
    const spec = JSON.parse(chart.querySelector('script').textContent);
    delete spec.$schema;  // vegaEmbed would warn of an older version
    vegaEmbed(chart.appendChild(document.createElement('div')), spec, { renderer: 'svg', config, actions })
      .then(() => { chart.querySelector('svg').remove(); document.body.dataset.chart = 'vega'; });
  }
}
)";

}  // namespace detail

/// A chart on a page(): its Vega-Lite specification, and svg() of it, which the chart library replaces if present.
/// `kind` is a class for the page's style.
[[nodiscard]] inline std::string chart_markup(const json& specification, std::string_view kind = "") {
  return concat("<div class='chart wide ", kind, "'><script type='application/json'>",
                detail::script_json(specification), "</script>", svg(specification), "</div>\n");
}

/// A self-contained page that needs no network, light or dark by the reader's preference. `body` is markup.
/// `vega_bundle` is JavaScript that defines vegaEmbed: with it Vega draws the charts, without it they are the SVG of
/// chart_markup().
[[nodiscard]] inline std::string page(std::string_view title, std::string_view body, std::string_view vega_bundle) {
  std::string out = concat("<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>",
                           "<meta name='viewport' content='width=device-width'><title>",
                           escape_markup(printable(title)), "</title><style>", detail::page_style,
                           "</style></head><body>\n<h1>", escape_markup(printable(title)), "</h1>\n", body);
  if (!vega_bundle.empty())
    out += "<script>" + detail::replace_all(std::string(vega_bundle), "</script", "<\\/script") + "</script>\n";
  return out + concat("<script>", detail::page_script, "</script>\n</body></html>\n");
}

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

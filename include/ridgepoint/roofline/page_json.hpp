// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/roofline/markup.hpp>
#include <ridgepoint/roofline/strict_json.hpp>
#include <ridgepoint/roofline/svg_json.hpp>

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/roofline/html_json.hpp>

#include "ladder_chart_json.hpp"
#include "page.hpp"
#include "roof_chart_json.hpp"

namespace measurement {

using nlohmann::json;

using ridgepoint::concat, ridgepoint::escape_markup, ridgepoint::detail::html_cell;

namespace detail {

inline constexpr std::string_view strip_legend =
    "Below each ladder is the effect of the flags on accuracy. ulp max: largest distance from an exact result, darker "
    "if larger. bits: = equal to the base's, ≠ different. NaN and subnormals: red: lost by these flags, kept "
    "by the base; -: not kept by the base either. loss: relative difference from the base's final loss.";
inline constexpr std::string_view roof_legend =
    "Line: roof of a set's flags on one core; dashed: the highest peak of all sets and the highest bandwidth, "
    "possibly of another set. The gap between the lines is left for flags, that from a letter to its line for code. "
    "Letters are rows: orange definitions, blue all others; rows without arithmetic are omitted. A row above the "
    "slope has its data in a cache.";

inline std::string_view mark_of(study::verdict v) {
  constexpr std::string_view marks[] = {"▲", "▼", "■", "●"};
  return marks[static_cast<int>(v)];
}

/// Returns a shortened name that may break after a slash, with the full name as tooltip.
inline std::string short_markup(std::string_view name, std::size_t most) {
  const std::string fits = shown(name, most);
  if (fits == name) return ridgepoint::detail::replace_all(escape_markup(fits), "/", "/<wbr>");
  return concat("<span title='", escape_markup(shown(name, 8192)), "'>", escape_markup(fits), "</span>");
}

inline std::string table_markup(const std::vector<std::string>& heads, std::string_view rows) {
  std::string out = "<div class='wide'><table><thead><tr>";
  for (const std::string& head : heads) out += concat("<th>", escape_markup(head), "</th>");
  return concat(out, "</tr></thead><tbody>\n", rows, "</tbody></table></div>\n");
}

/// Returns a command that one click selects in full.
inline std::string command_markup(std::string_view command) {
  return concat("<details><summary>run</summary><code>", escape_markup(command), "</code></details>");
}

inline std::string figures_cell(double value, std::string_view text) {
  return concat("<td class='n' data-value='", value, "'>", escape_markup(text), "</td>");
}

inline std::string set_rows(const flags_page& page) {
  std::string out;
  for (const page_set& s : page.sets) {
    out += concat("<tr>", html_cell(s.set.name));
    if (s.has_program) out += html_cell(static_cast<double>(s.code_bytes) / 1024) + html_cell(s.compile_s);
    else out += "<td></td><td></td>";
    out += concat(s.flushes_denormals ? "<td class='lost'>yes</td>" : "<td></td>", html_cell(s.compiler),
                  html_cell(flags_text(s.set)), "<td>", short_markup(s.failure, 200), "</td></tr>\n");
  }
  return out;
}

inline std::string roof_rows(const flags_page& page, const build_roof& highest) {
  std::string out;
  for (const page_set& s : page.sets)
    if (const auto roof = usable(s.roof))
      out += concat("<tr>", html_cell(s.set.name), html_cell(1e-9 * roof->flop_per_s),
                    html_cell(100 * roof->flop_per_s / highest.flop_per_s), html_cell(1e-9 * roof->bytes_per_s),
                    html_cell(100 * roof->bytes_per_s / highest.bytes_per_s), "</tr>\n");
  return out;
}

/// Columns that some row of a page needs: the hot loop, and which of accuracy_names.
struct page_columns {
  bool code = false;
  std::vector<std::string> accuracy = {};
};
inline page_columns columns_of(const flags_page& page) {
  page_columns columns{.code = tell_code(page.rows)};
  for (const std::string_view name : accuracy_names)
    for (const flags_row& row : page.rows)
      for (const accuracy_cell& cell : accuracy_cells(row.accuracy))
        if (cell.of == name && (columns.accuracy.empty() || columns.accuracy.back() != name))
          columns.accuracy.emplace_back(name);
  return columns;
}

inline std::string accuracy_markup(const flags_row& row, const std::vector<std::string>& names) {
  std::string out;
  const std::vector<accuracy_cell> cells = accuracy_cells(row.accuracy);
  for (const std::string& name : names) {
    const auto cell = std::ranges::find(cells, name, &accuracy_cell::of);
    if (cell == cells.end()) out += "<td></td>";
    else
      out += concat("<td class='c' title='", escape_markup(cell->words), "' style='background:", fill_of(*cell),
                    ";color:", ink_of(*cell), "'>", cell->text, "</td>");
  }
  return out;
}

inline std::string row_markup(const flags_page& page, const page_benchmark& one, const flags_row& row,
                              const page_columns& columns) {
  using ridgepoint::quantity;
  const study::compared_row& c = row.compared;
  const auto side = [&](std::size_t samples, double median) {
    return samples == 0 ? std::string("<td></td>") : figures_cell(median, quantity(median, c.unit));
  };
  std::string out = concat("<tr>", html_cell(std::string(1, ridgepoint::row_letter(one.number))), "<td class='name'>",
                           short_markup(c.name, 48), "</td>", html_cell(row.set), side(c.samples_a, c.median_a),
                           side(c.samples_b, c.median_b));
  if (c.speedup > 0)
    out += figures_cell(c.speedup, ratio_text(c.speedup)) +
           concat("<td>", interval_text(c), c.wide ? " wide" : "", "</td>");
  else out += "<td></td><td></td>";
  const std::string reason = c.reason.empty() ? "" : ": " + short_markup(c.reason, 120);
  const page_set* const set = page.find(row.set);
  return out + concat("<td><span style='color:", colour_of(c.verdict), "'>", mark_of(c.verdict), "</span> ",
                      escape_markup(to_string(c.verdict)), reason, "</td>",
                      columns.code ? html_cell(row.code.text()) : "", accuracy_markup(row, columns.accuracy), "<td>",
                      set == nullptr ? "" : command_markup(reproducer(*set, c.name)), "</td></tr>\n");
}

inline constexpr std::size_t most_ladders = 60;

inline std::string ladders_section(const flags_page& page) {
  const std::vector<page_group> groups = grouped(page.rows);
  if (groups.empty()) return "";
  std::string out = "<h2>Speed-ups</h2>\n<p>";
  for (const study::verdict v :
       {study::verdict::faster, study::verdict::slower, study::verdict::same, study::verdict::unclear})
    out += concat("<span style='color:", colour_of(v), "'>", mark_of(v), "</span> ", to_string(v), " &emsp;");
  out +=
      concat("A bar is the speed-up of a set over ", escape_markup(page.base),
             ", on a logarithmic axis; the line through its mark is the 95 % interval, the band around 1 the gate, ±",
             100 * page.gate, " %. ", escape_markup(page.control),
             " is the base measured again: its differences are measurement noise.</p>\n");
  if (!columns_of(page).accuracy.empty()) out += concat("<p>", strip_legend, "</p>\n");
  if (groups.size() > most_ladders)
    out += concat("<p>The first ", most_ladders, " of ", groups.size(), "; the table below has all.</p>\n");
  out += "<div class='panels'>\n";
  for (const page_group& group : std::span(groups).first(std::min(groups.size(), most_ladders))) {
    std::string letters;
    for (const page_benchmark& one : group.benchmarks)
      letters += concat(letters.empty() ? "" : ", ", ridgepoint::row_letter(one.number));
    const ladder_chart chart = layout(page, group);
    out += concat("<section><h3>", letters, " &ensp;", short_markup(group.name, 60), "</h3>",
                  ridgepoint::chart_markup(vega_specification(chart)), "</section>\n");
  }
  return out + "</div>\n";
}

inline std::string roofs_section(const flags_page& page) {
  const std::vector<roof_chart> charts = roof_charts(page);
  const std::optional<build_roof> highest = highest_roof(page);
  if (!highest) return "";
  std::string out = concat("<h2>Roofs of the builds</h2>\n<p>", roof_legend, "</p>\n<div class='panels'>\n");
  for (const roof_chart& chart : charts)
    out += concat("<section>", ridgepoint::chart_markup(vega_specification(chart)), "</section>\n");
  return concat(
      out, "</div>\n",
      table_markup({"set", "GFLOP/s", "% of the highest", "GB/s", "% of the highest"}, roof_rows(page, *highest)));
}

inline std::string rows_section(const flags_page& page) {
  if (page.rows.empty()) return "";
  const page_columns columns = columns_of(page);
  std::vector<std::string> heads{"", "row", "set", page.base, "set's", "speed-up", "95 % interval", "verdict"};
  if (columns.code) heads.emplace_back("hot loop");
  heads.insert(heads.end(), columns.accuracy.begin(), columns.accuracy.end());
  heads.emplace_back("again");
  std::string rows;
  for (const page_group& group : grouped(page.rows))
    for (const page_benchmark& one : group.benchmarks)
      for (const flags_row& row : one.rows) rows += row_markup(page, one, row, columns);
  return "<h2>Rows</h2>\n<p>Each has the command that runs it alone, and before that builds its program if it was "
         "built here; a click takes all of "
         "it.</p>\n" +
         table_markup(heads, rows);
}

inline std::string sets_section(const flags_page& page) {
  return "<h2>Sets</h2>\n" +
         table_markup({"set", "code, KiB", "compiled, s", "flushes denormals", "compiler", "flags", "failed"},
                      set_rows(page));
}

}  // namespace detail

/// Returns the page of a comparison of flags: ladders with accuracy strips, rooflines of the builds, tables of rows
/// and sets, the terminal's summary, the machine, and `run`, the full result as JSON. ridgepoint::page() documents
/// `vega_bundle`. The first 60 groups of rows are drawn; the table has all.
inline std::string flags_html(const flags_page& page, const json& run, std::string_view vega_bundle = {}) {
  std::string body;
  for (const std::string& line : page.summary) body += concat("<p>", escape_markup(line), "</p>\n");
  for (const std::string& doubt : page.doubts) body += concat("<p class='doubt'>", escape_markup(doubt), "</p>\n");
  body += detail::ladders_section(page) + detail::roofs_section(page) + detail::rows_section(page) +
          detail::sets_section(page);
  body += "<h2>Where it was measured</h2>\n<table><tbody>\n";
  for (const auto& [name, value] : page.circumstances)
    body += concat("<tr>", html_cell(name), "<td class='name'>", escape_markup(shown(value, 2000)), "</td></tr>\n");
  body += concat("</tbody></table>\n<script type='application/json' id='run'>", ridgepoint::detail::script_json(run),
                 "</script>\n");
  return ridgepoint::page(page.title, body, vega_bundle);
}

}  // namespace measurement

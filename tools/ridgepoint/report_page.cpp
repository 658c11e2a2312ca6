// SPDX-License-Identifier: MIT
#include "report_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/roofline/html_json.hpp>
#include <ridgepoint/roofline/text_table.hpp>
#include <ridgepoint/study/charts_json.hpp>

#include "sweep_families.hpp"
#include "vega_bundle.hpp"

namespace tool {
namespace {

constexpr std::string_view title = "Published and modelled results",
                           bases =
                               "Figures are modelled; nothing ran on the machines. Basis hold-out: a prediction; "
                               "calibration: constants were fitted to these rows; definitional: follows from the "
                               "inputs; chosen: a rule was chosen to fit.";

/// A compared number, as its row of a table shows it.
struct shown_line {
  std::string what, ours, theirs, error_percent, basis, demanded, verdict;
  std::optional<double> error, limit;  // as ratios

  explicit shown_line(const rp::json_reader& line)
      : what(line.text("what")),
        basis(line.text("basis")),
        demanded(line.text("demanded")),
        error(line.optional_number("error", -HUGE_VAL)),
        limit(line.optional_number("limit", 0)) {
    const std::optional<double> own = line.optional_number("ours", -HUGE_VAL),
                                published = line.optional_number("theirs", -HUGE_VAL);
    if (own) ours = rp::figures(*own, 4);
    if (published) theirs = rp::figures(*published, 4);
    if (own && rp::exactly(*own, 0)) error.reset();  // the ratio says nothing
    if (error) error_percent = rp::figures(100 * *error, 2);
    if (!line.has("holds")) return;
    const std::string holds = line.scalar("holds");
    rp::require<rp::data_error>(holds == "true" || holds == "false", line.path("holds"), " is ", holds,
                                "; must be true or false");
    verdict = holds == "true" ? "holds" : "falls short";
  }
};

std::vector<shown_line> lines_of(const rp::json_reader& result) {
  std::vector<shown_line> lines;
  for (const rp::json_reader& line : result.objects("errors")) lines.emplace_back(line);
  return lines;
}

/// A printed item and its answer, as its row of a table shows it.
struct shown_item {
  std::string study, what, answer, state, reason, numbers, error_percent, demands;

  shown_item(std::string key, const rp::json_reader& item)
      : study(std::move(key)),
        what(item.text("what")),
        answer(item.text("answer")),
        state(item.text("state")),
        reason(item.text("reason")) {
    constexpr std::string_view states[] = {"compared", "works", "partly", "missing", "skipped"};
    rp::require<rp::data_error>(std::ranges::find(states, state) != std::end(states), item.path("state"), " is ",
                                rp::printable(state), "; must be compared, works, partly, missing or skipped");
    if (!item.has("numbers")) return;
    if (const std::uint64_t count = item.count("numbers", 1'000'000); count > 0) numbers = rp::concat(count);
    if (const auto error = item.optional_number("error", 0)) error_percent = rp::figures(100 * *error, 2);
    const std::uint64_t judged = item.count("judged", 1'000'000);
    if (judged > 0) demands = rp::concat(judged - item.count("not_met", judged), " of ", judged);
  }
};

/// The printed items of a report's studies.
struct shown_items {
  std::vector<shown_item> all;

  explicit shown_items(const rp::json_reader& report) {
    for (const rp::json_reader& study : report.objects("studies"))
      if (study.has("printed"))  // reports of older versions have none
        for (const rp::json_reader& item : study.objects("printed")) all.emplace_back(study.text("study"), item);
  }
  /// Says how many items are in each state.
  [[nodiscard]] std::string text() const {
    const auto count = [&](std::string_view state) { return std::ranges::count(all, state, &shown_item::state); };
    return rp::concat(count("compared"), " of ", all.size(),
                      " tables, figures, systems and methods have our number next to the published one; ",
                      count("works"), " more work, but no published number is available; ", count("partly"),
                      " partly; ", count("missing"), " missing; ", count("skipped"),
                      " skipped, since DIR lacks their table. Numbers: published ones next to ours; error: their "
                      "median |error|; held: demands that hold. Answers are pages, or arguments of ridgepoint; "
                      "validate also needs --data DIR.");
  }
};
constexpr std::string_view printed_title = "Published items and their state";

/// Totals over the results of a study.
struct totals {
  std::uint64_t results = 0, skipped = 0, judged = 0, not_met = 0;

  explicit totals(const rp::json_reader& study) {
    for (const rp::json_reader& result : study.objects("results")) {
      ++results;
      skipped += result.text("verdict") == "skipped" ? 1U : 0U;
      judged += result.count("judged", 1'000'000);
      not_met += result.count("not_met", 1'000'000);
    }
  }
};

/// Returns the text with its first letter in upper case, unless it begins with a name such as a.csv.
std::string sentence(std::string text) {
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  const std::string first = text.substr(0, text.find_first_of(" :,;"));
  if (!first.empty() && std::ranges::all_of(first, is_small)) text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}
std::string cell(std::string_view text) { return rp::concat("<td>", rp::escape_markup(text), "</td>"); }
std::string number_cell(std::string_view text) {
  return rp::concat("<td class='n'>", rp::escape_markup(text), "</td>");
}
std::string table(std::initializer_list<std::string_view> heads, std::string_view rows) {
  std::string out = "<div class='wide'><table><thead><tr>";
  for (const std::string_view head : heads) out += rp::concat("<th>", head, "</th>");
  return rp::concat(out, "</tr></thead><tbody>\n", rows, "</tbody></table></div>\n");
}

/// Returns a chart of the errors, with lines of the allowed ranges; "" for fewer than 3 or more than 40 errors.
std::string chart_of_errors(const std::vector<shown_line>& lines) {
  rp::study::bar_chart chart{.title = "errors", .value_name = "error, %; line: allowed", .bars = {}};
  for (const shown_line& line : lines) {
    if (!line.error) continue;
    const double percent = 100 * *line.error;
    chart.bars.push_back(
        {line.what, line.limit ? -100 * *line.limit : percent, percent, line.limit ? 100 * *line.limit : percent});
    chart.full = (std::max)(chart.full, std::abs(percent));
  }
  const bool readable = chart.bars.size() >= 3 && chart.bars.size() <= 40;
  return readable ? rp::chart_markup(vega_specification(chart)) : "";
}

/// Returns a result's table with its picture, note and command.
std::string section(const rp::json_reader& result) {
  std::string out = rp::concat("<h3>", rp::escape_markup(sentence(result.text("title"))), "</h3>\n<p>",
                               rp::escape_markup(result.text("verdict")));
  if (const std::uint64_t rows = result.count("rows"); rows > 0) out += rp::concat("; ", rows, " rows of data");
  out += rp::concat(". <code>", rp::escape_markup(result.text("command")), "</code></p>\n");
  const std::vector<shown_line> lines = lines_of(result);
  std::string rows;
  for (const shown_line& line : lines)
    rows += rp::concat("<tr>", cell(line.what), number_cell(line.ours), number_cell(line.theirs),
                       number_cell(line.error_percent), cell(line.basis), cell(line.demanded), cell(line.verdict),
                       "</tr>\n");
  if (!lines.empty()) out += table({"", "ours", "published", "error, %", "basis", "demanded", ""}, rows);
  out += chart_of_errors(lines);
  const std::string note = result.text("note");
  return out + (note.empty() ? "" : rp::concat("<p>", rp::escape_markup(sentence(note)), ".</p>\n"));
}

/// Returns the charts of the networks that ParaDnn's heat maps show.
std::string charts_of_paradnn() {
  std::string out;
  for (const family& f : {fc_family(published_grid("fc", extent_of_sweep::drawn)),
                          cnn_family(published_grid("cnn", extent_of_sweep::drawn)),
                          rnn_family(published_grid("rnn", extent_of_sweep::drawn))}) {
    rp::study::sweep_chips chips{rp::tpu::find_chip("v2"), rp::tpu::find_chip("v3"), f.gpu};
    std::vector<rp::study::sweep_row> rows;
    for (const rp::study::sweep_network& network : f.networks)
      for (const rp::index_t batch : f.batches) rows.push_back(sweep_one(chips, network, batch));
    out += rp::concat("<h2>Modelled: ", f.name, "</h2>\n", sweep_charts(rows, chips, f.width_name));
  }
  return out;
}

/// Says why results are skipped.
std::string skipped_text(const rp::json_reader& report) {
  return report.scalar("data_given") == "true" ? "Results are skipped if DIR lacks their table."
                                               : "Results that need tables are skipped: no --data DIR was given.";
}

/// Returns a page without network access: totals, then each study with its tables and charts.
std::string html_of(const rp::json_reader& report) {
  std::string head, body;
  for (const rp::json_reader& study : report.objects("studies")) {
    const std::string key = study.text("study"), name = study.text("title");
    const totals sum(study);
    head += rp::concat("<tr>", cell(key), cell(name), number_cell(rp::concat(sum.results)),
                       number_cell(rp::concat(sum.skipped)), number_cell(rp::concat(sum.judged)),
                       number_cell(rp::concat(sum.not_met)), "</tr>\n");
    body += rp::concat("<h2 id='", rp::escape_markup(key), "'>Study ", rp::escape_markup(key), ": ",
                       rp::escape_markup(name), "</h2>\n<p>", rp::escape_markup(study.text("by")), ", ",
                       rp::escape_markup(study.text("link")), "</p>\n");
    for (const rp::json_reader& result : study.objects("results")) body += section(result);
    if (key == "E") body += charts_of_paradnn();
  }
  const shown_items printed(report);
  std::string items;
  for (const shown_item& i : printed.all)
    items += rp::concat("<tr>", cell(i.study), cell(i.what), cell(i.answer), cell(i.state), number_cell(i.numbers),
                        number_cell(i.error_percent), number_cell(i.demands), cell(i.reason), "</tr>\n");
  if (!items.empty())
    items =
        rp::concat("<h2 id='printed'>", printed_title, "</h2>\n<p>", printed.text(), "</p>\n",
                   table({"study", "item", "answered by", "state", "numbers", "error, %", "held", "reason"}, items));
  const std::string first = rp::concat("<p>", bases, ' ', skipped_text(report), "</p>\n",
                                       table({"study", "", "results", "skipped", "demands", "not met"}, head), items);
  return rp::page(title, first + body, vega_bundle());
}

/// Escapes text for Markdown.
std::string markdown(std::string_view text) {
  std::string safe;
  for (const char c : rp::printable(text)) {
    if (std::string_view("\\`*[]<>|&").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}
std::string markdown_row(std::initializer_list<std::string_view> cells) {
  std::string row = "|";
  for (const std::string_view text : cells) row += ' ' + markdown(text) + " |";
  return row + '\n';
}

/// Returns the tables of html_of() as Markdown.
std::string markdown_of(const rp::json_reader& report) {
  std::string head, body;
  for (const rp::json_reader& study : report.objects("studies")) {
    const std::string key = study.text("study"), name = study.text("title");
    const totals sum(study);
    head += markdown_row(
        {key, name, rp::concat(sum.results), rp::concat(sum.skipped), rp::concat(sum.judged), rp::concat(sum.not_met)});
    body += rp::concat("\n## Study ", markdown(key), ": ", markdown(name), "\n\n", markdown(study.text("by")), ", ",
                       markdown(study.text("link")), "\n");
    for (const rp::json_reader& result : study.objects("results")) {
      body += rp::concat("\n### ", markdown(sentence(result.text("title"))), "\n\n", markdown(result.text("command")),
                         ": ", markdown(result.text("verdict")), ".\n");
      const std::vector<shown_line> lines = lines_of(result);
      if (!lines.empty())
        body += "\n| | ours | published | error, % | basis | demanded | |\n|---|---:|---:|---:|---|---|---|\n";
      for (const shown_line& l : lines)
        body += markdown_row({l.what, l.ours, l.theirs, l.error_percent, l.basis, l.demanded, l.verdict});
      const std::string note = result.text("note");
      if (!note.empty()) body += rp::concat('\n', markdown(sentence(note)), ".\n");
    }
  }
  const shown_items printed(report);
  if (!printed.all.empty())
    head += rp::concat("\n## ", printed_title, "\n\n", printed.text(),
                       "\n\n| study | item | answered by | state | numbers | error, % | held | reason |\n"
                       "|---|---|---|---|---:|---:|---:|---|\n");
  for (const shown_item& i : printed.all)
    head += markdown_row({i.study, i.what, i.answer, i.state, i.numbers, i.error_percent, i.demands, i.reason});
  return rp::concat("# ", title, "\n\nFor readers of the five studies: the published numbers that the models are ",
                    "compared with, and a verdict where a limit is demanded.\n\n", bases, ' ', skipped_text(report),
                    " `ridgepoint report --data DIR` writes this page, one with charts, and the JSON of both.\n\n",
                    "| study | | results | skipped | demands | not met |\n|---|---|---:|---:|---:|---:|\n", head, body);
}

}  // namespace

report_files::report_files(const std::filesystem::path& directory)
    : html((directory / "report.html").string()), markdown((directory / "report.md").string()) {}

void report_pages::write(const report_files& to, const std::string& from) const {
  rp::write_file(to.html, html);
  rp::write_file(to.markdown, markdown);
  std::cout << summary << "wrote " << rp::printable(to.html) << " and " << rp::printable(to.markdown) << " from "
            << rp::printable(from) << '\n';
}

report_pages pages_of(const rp::json& document, const std::string& file) {
  const rp::json_reader report(document, file + ": ");
  report.require_schema("ridgepoint.report", 2);
  rp::text_table summary{.head = {"study", "results", "skipped", "demands", "not met"}, .align = "lrrrr"};
  std::string last;
  for (const rp::json_reader& study : report.objects("studies")) {
    const std::string key = study.text("study");
    rp::require<rp::data_error>(key.size() == 1 && key > last && key >= "A" && key <= "E", study.path("study"), " is ",
                                rp::printable(key), "; must be A to E in order, each once");
    last = key;
    const totals sum(study);
    summary.rows.push_back({rp::printable(rp::concat(key, ": ", study.text("title"))), rp::concat(sum.results),
                            rp::concat(sum.skipped), rp::concat(sum.judged), rp::concat(sum.not_met)});
  }
  return {.html = html_of(report), .markdown = markdown_of(report), .summary = summary.text()};
}

}  // namespace tool

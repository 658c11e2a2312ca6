// SPDX-License-Identifier: MIT
// ridgepoint report: a page of every published result of the five studies, the models' results and verdicts.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/roofline/html_json.hpp>
#include <ridgepoint/roofline/text_table.hpp>
#include <ridgepoint/study/charts_json.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "one_of.hpp"
#include "progress_bar.hpp"
#include "published_targets.hpp"
#include "sweep_families.hpp"
#include "vega_bundle.hpp"

namespace rp = ridgepoint;
using rp::study::comparison;
using rp::study::demand;

namespace tool::report {

struct options {
  std::string study = "all", data, out = ".";
};

/// A published result, compared.
struct compared {
  std::string command;  // that repeats it
  rp::study::target target;
  rp::study::target_result result;
};

/// Totals over some results.
struct totals {
  std::size_t results = 0, skipped = 0, judged = 0, not_met = 0;

  explicit totals(const std::vector<compared>& all) {
    for (const compared& c : all) {
      ++results;
      skipped += c.result.skipped ? 1U : 0U;
      judged += c.result.judged();
      not_met += c.result.differences();
    }
  }
};

std::vector<compared> targets_of(std::string_view study) {
  std::vector<compared> all;
  const auto add = [&](const char* model, const std::vector<rp::study::target>& targets) {
    for (const rp::study::target& t : targets)
      if (t.study == study)
        all.push_back({rp::concat("ridgepoint validate ", model, " --only ", t.name, " --data DIR"), t, {}});
  };
  add("tpu", tool::tpu_targets());
  add("gpu", tool::gpu_targets());
  add("cpu", tool::cpu_targets());
  return all;
}

std::string cell(std::string_view text) { return rp::concat("<td>", rp::escape_markup(text), "</td>"); }
std::string number_cell(std::string_view text) {
  return rp::concat("<td class='n'>", rp::escape_markup(text), "</td>");
}
std::string count_cell(std::size_t count) { return number_cell(rp::concat(count)); }
std::string figure(double value) { return std::isnan(value) ? "" : rp::figures(value, 4); }

/// Returns the table of one result, with its note and its command.
std::string section(const compared& c) {
  std::string out =
      rp::concat("<h3>", rp::escape_markup(c.target.title), "</h3>\n<p>", rp::escape_markup(c.result.verdict()));
  if (c.result.rows > 0) out += rp::concat("; ", c.result.rows, " rows of data");
  out += rp::concat(". <code>", rp::escape_markup(c.command), "</code></p>\n");
  if (!c.result.lines.empty()) {
    out += "<div class='wide'><table><thead><tr>";
    for (const char* head : {"", "ours", "published", "error, %", "basis", "demanded", ""})
      out += rp::concat("<th>", head, "</th>");
    out += "</tr></thead><tbody>\n";
    for (const comparison& line : c.result.lines) {
      const bool judged = line.wanted != demand::none;
      out += rp::concat("<tr>", cell(line.what), number_cell(figure(line.ours)), number_cell(figure(line.theirs)),
                        number_cell(std::isnan(line.error()) ? "" : rp::figures(100 * line.error(), 2)),
                        cell(to_string(line.basis)), cell(tool::demanded(line)),
                        cell(!judged        ? ""
                             : line.holds() ? "holds"
                                            : "falls short"),
                        "</tr>\n");
    }
    out += "</tbody></table></div>\n";
  }
  return out + (c.result.note.empty() ? "" : rp::concat("<p>", rp::escape_markup(c.result.note), ".</p>\n"));
}

/// Returns the charts of the networks that ParaDnn's heat maps show.
std::string charts_of_paradnn() {
  std::string out;
  for (const tool::family& f : {tool::fc_family(tool::published_grid("fc", tool::extent_of_sweep::drawn)),
                                tool::cnn_family(tool::published_grid("cnn", tool::extent_of_sweep::drawn)),
                                tool::rnn_family(tool::published_grid("rnn", tool::extent_of_sweep::drawn))}) {
    rp::study::sweep_chips chips{rp::tpu::find_chip("v2"), rp::tpu::find_chip("v3"), f.gpu};
    std::vector<rp::study::sweep_row> rows;
    for (const rp::study::sweep_network& network : f.networks)
      for (const rp::index_t batch : f.batches) rows.push_back(sweep_one(chips, network, batch));
    out += rp::concat("<h2>Modelled: ", f.name, "</h2>\n", sweep_charts(rows, chips, f.width_name));
  }
  return out;
}

/// Compares a study with the models, showing progress.
std::vector<compared> compare_study(const tool::publication& p, const std::string& data) {
  std::vector<compared> all = targets_of(p.key);
  tool::progress_bar bar(rp::concat("comparing with study ", p.key));
  for (std::size_t i = 0; i < all.size(); ++i) {
    bar.show(static_cast<std::int64_t>(i), static_cast<std::int64_t>(all.size()), all[i].target.name);
    all[i].result = evaluate(all[i].target, data);
  }
  return all;
}

std::string markup_of(const tool::publication& p, const std::vector<compared>& all) {
  std::string out = rp::concat("<h2 id='", p.key, "'>Study ", p.key, ": ", rp::escape_markup(p.title), "</h2>\n<p>",
                               rp::escape_markup(p.by), ", ", p.link, "</p>\n");
  for (const compared& c : all) out += section(c);
  return out + (p.key == "E" ? charts_of_paradnn() : "");
}
rp::json document_of(const tool::publication& p, const std::vector<compared>& all) {
  rp::json results = rp::json::array();
  for (const compared& c : all) {
    results.push_back(tool::document(c.target, c.result));
    results.back()["command"] = c.command;
  }
  return {{"study", p.key}, {"title", p.title}, {"by", p.by}, {"link", p.link}, {"results", std::move(results)}};
}

int run(const options& o) {
  const std::filesystem::path directory = tool::made_directory("report", o.out);
  const std::string page = (directory / "report.html").string(), json = (directory / "report.json").string();
  tool::check_files({.written = {page, json}, .read = {o.data}});
  rp::text_table summary{.head = {"study", "results", "skipped", "demands", "not met"}, .align = "lrrrr"};
  std::string head, body;
  rp::json studies = rp::json::array();
  for (const tool::publication& p : tool::publications()) {
    if (o.study != "all" && o.study != p.key) continue;
    const std::vector<compared> all = compare_study(p, o.data);
    body += markup_of(p, all);
    studies.push_back(document_of(p, all));
    const totals sum(all);
    summary.rows.push_back({rp::concat(p.key, ": ", p.title), rp::concat(sum.results), rp::concat(sum.skipped),
                            rp::concat(sum.judged), rp::concat(sum.not_met)});
    head += rp::concat("<tr>", cell(p.key), cell(p.title), count_cell(sum.results), count_cell(sum.skipped),
                       count_cell(sum.judged), count_cell(sum.not_met), "</tr>\n");
  }
  const std::string first = rp::concat(
      "<p>Figures are modelled; nothing ran on the machines. Basis hold-out: a prediction; calibration: constants were "
      "fitted to these rows; definitional: follows from the inputs; chosen: a rule was chosen to fit. Skipped: ",
      o.data.empty() ? "no --data DIR was given" : "DIR lacks the published table",
      ".</p>\n<div class='wide'><table><thead><tr><th>study</th><th></th><th>results</th><th>skipped</th>"
      "<th>demands</th><th>not met</th></tr></thead><tbody>\n",
      head, "</tbody></table></div>\n");
  rp::save_json(json, {{"schema", "ridgepoint.report"}, {"schema_version", 1}, {"studies", std::move(studies)}});
  rp::write_file(page, rp::page("Published and modelled results", first + body, tool::vega_bundle()));
  std::cout << summary.text() << "wrote " << rp::printable(page) << " and " << rp::printable(json) << '\n';
  return tool::ok;
}

const tool::command command(
    "report", "Compare every published result of the studies with the models, in one page",
    [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.add_option("--study", o->study, "Only this study")
          ->transform(tool::one_of({"A", "B", "C", "D", "E", "all"}))
          ->capture_default_str();
      app.add_option("--data", o->data,
                     "Directory of the published tables (default: results that need one are skipped)")
          ->check(tool::existing_directory());
      app.add_option("--out", o->out, "Output directory: report.html and report.json")->capture_default_str();
      return [o] { return run(*o); };
    });

}  // namespace tool::report

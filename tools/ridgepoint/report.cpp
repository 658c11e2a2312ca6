// SPDX-License-Identifier: MIT
// ridgepoint report: a page of every published result of the five studies, the models' results and verdicts.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/printable.hpp>
#include <ridgepoint/core/quantile.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "one_of.hpp"
#include "printed_items.hpp"
#include "progress_bar.hpp"
#include "published_targets.hpp"
#include "report_page.hpp"

namespace rp = ridgepoint;

namespace tool::report {

struct options {
  std::string study = "all", data, out = ".";
};

/// A published result, compared.
struct compared {
  std::string arguments;  // of ridgepoint, as "validate gpu --only study-a"
  rp::study::target target;
  rp::study::target_result result;
};

std::vector<compared> targets_of(std::string_view study) {
  std::vector<compared> all;
  const auto add = [&](const char* model, const std::vector<rp::study::target>& targets) {
    for (const rp::study::target& t : targets)
      if (t.study == study) all.push_back({rp::concat("validate ", model, " --only ", t.name), t, {}});
  };
  add("tpu", tool::tpu_targets());
  add("gpu", tool::gpu_targets());
  add("cpu", tool::cpu_targets());
  return all;
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

/// True if one of the parts of `lines`, separated by |, is in the text; always if `lines` is empty.
bool is_one_of(std::string_view lines, std::string_view text) {
  while (true) {
    const std::string_view part = lines.substr(0, lines.find('|'));
    if (text.find(part) != std::string_view::npos) return true;
    if (part.size() == lines.size()) return false;
    lines.remove_prefix(part.size() + 1);
  }
}

/// Adds how many published numbers of a result are next to ours, the median of their |errors|, and the demands.
/// Throws: value_error if the result has no such line.
void add_numbers(rp::json& to, const tool::printed_item& item, const rp::study::target_result& r) {
  std::size_t lines = 0, numbers = 0, judged = 0, not_met = 0;
  std::vector<double> errors;
  for (const rp::study::comparison& line : r.lines) {
    if (!is_one_of(item.lines, line.what)) continue;
    ++lines;
    numbers += std::isfinite(line.ours) && std::isfinite(line.theirs) ? 1U : 0U;
    if (std::isfinite(line.error()) && !rp::exactly(line.ours, 0))  // else the ratio says nothing
      errors.push_back(std::abs(line.error()));
    judged += line.wanted != rp::study::demand::none ? 1U : 0U;
    not_met += line.holds() ? 0U : 1U;
  }
  if (item.lines.empty() && item.state == tool::answer_state::compared) numbers = std::max(numbers, r.rows);
  rp::require<rp::value_error>(lines > 0 && (numbers > 0 || item.state != tool::answer_state::compared),
                               "report: study ", item.study, ", ", item.what, ": ", item.answer,
                               " has no published number", item.lines.empty() ? "" : " in a line with ", item.lines);
  to.update({{"numbers", numbers}, {"judged", judged}, {"not_met", not_met}});
  if (!errors.empty()) to["error"] = rp::median(errors);
}

/// Returns what a study prints, and what answers it. Throws: value_error for an item whose target does not exist.
rp::json printed_of(std::string_view study, const std::vector<compared>& all) {
  rp::json items = rp::json::array();
  for (const tool::printed_item& item : tool::printed_items()) {
    if (item.study != study) continue;
    rp::json one{
        {"what", item.what}, {"answer", item.answer}, {"state", to_string(item.state)}, {"reason", item.reason}};
    const auto found = std::ranges::find(all, item.answer, &compared::arguments);
    rp::require<rp::value_error>(found != all.end() || !item.answer.starts_with("validate"), "report: study ", study,
                                 ", ", item.what, ": no target of the study is called by ", item.answer);
    const bool counted =
        item.state == tool::answer_state::compared || item.state == tool::answer_state::partly || !item.lines.empty();
    if (found != all.end() && found->result.skipped) {
      one["state"] = "skipped", one["reason"] = found->result.note;
    } else if (counted && found != all.end()) {
      add_numbers(one, item, found->result);
    }
    items.push_back(std::move(one));
  }
  return items;
}

rp::json document_of(const tool::publication& p, const std::vector<compared>& all) {
  rp::json results = rp::json::array();
  for (const compared& c : all) {
    results.push_back(tool::document(c.target, c.result));
    results.back()["command"] = rp::concat("ridgepoint ", c.arguments, " --data DIR");
  }
  return {{"study", p.key},
          {"title", p.title},
          {"by", p.by},
          {"link", p.link},
          {"results", std::move(results)},
          {"printed", printed_of(p.key, all)}};
}

int run(const options& o) {
  const std::filesystem::path directory = tool::made_directory("report", o.out);
  const std::string file = (directory / "report.json").string();
  const tool::report_files to(directory);
  tool::check_files({.written = {to.html, to.markdown, file}, .read = {o.data}});
  rp::json studies = rp::json::array();
  for (const tool::publication& p : tool::publications())
    if (o.study == "all" || o.study == p.key) studies.push_back(document_of(p, compare_study(p, o.data)));
  const rp::json document{{"schema", "ridgepoint.report"},
                          {"schema_version", 2},
                          {"data_given", !o.data.empty()},
                          {"studies", std::move(studies)}};
  rp::save_json(file, document);
  tool::pages_of(rp::parse_strict(rp::json_text(document), file), file).write(to, file);  // as replay
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
      app.add_option(
             "--out", o->out,
             "Output directory: report.html, report.md and report.json, from which replay writes the pages again")
          ->capture_default_str();
      return [o] { return run(*o); };
    });

}  // namespace tool::report

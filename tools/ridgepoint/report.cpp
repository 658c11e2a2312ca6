// SPDX-License-Identifier: MIT
// ridgepoint report: a page of every published result of the five studies, the models' results and verdicts.
#include <filesystem>
#include <memory>

#include <ridgepoint/core/files.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "one_of.hpp"
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
  std::string command;  // that repeats it
  rp::study::target target;
  rp::study::target_result result;
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

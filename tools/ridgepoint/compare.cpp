// SPDX-License-Identifier: MIT
// ridgepoint compare: judges whether the results in one file are faster than those in another, or undecided.
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/study/comparison_json.hpp>
#include <ridgepoint/study/measured/load_json.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "compare_report.hpp"
#include "measurement/decimal.hpp"
#include "seed_option.hpp"

namespace tool::comparing {

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

struct options {
  std::string a, b, gate, metric = "real_time", json;
  bool paired = false, anyway = false, allow_missing = false;
  std::uint64_t seed = 1;
};

/// Parses "2%" or "2" into a share; nullopt if it is not a percentage.
std::optional<double> share_of(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  const std::optional<double> percent = measurement::decimal<double>(text);
  return percent && *percent > 0 && *percent < 100 ? std::optional(*percent / 100) : std::nullopt;
}

/// Prints the differences between the sets. Throws: data_error if there are any and --anyway is not given.
void check_circumstances(const options& o, const study::measured_set& a, const study::measured_set& b) {
  std::string all;
  for (const std::string& difference : study::differences(a, b)) {
    const std::string line = tool::shown(difference);
    if (o.anyway) std::cout << "different " << line << '\n';
    all += (all.empty() ? "" : "; ") + line;
  }
  rp::require<rp::data_error>(all.empty() || o.anyway, "compare: ", a.source, " and ", b.source, " differ in ", all,
                              "; must agree, or else --anyway");
}

/// Returns the file, or all files of a directory: one per run.
std::vector<std::string> runs_of(const std::string& path) {
  if (!rp::detail::status_of(path).directory) return {path};
  constexpr std::size_t most_runs = 1000;
  std::vector<std::string> runs;
  for (const std::string& name : rp::detail::directory_entries(path)) {
    if (!name.ends_with(".json")) continue;
    rp::require<rp::data_error>(runs.size() < most_runs, path, ": has more than ", most_runs,
                                " files; must have at most ", most_runs);
    runs.push_back(rp::detail::in_directory(path, name));
  }
  rp::require<rp::data_error>(!runs.empty(), path, ": is a directory without a file .json; must have one for each run");
  return runs;
}

study::measured_set load(const options& o, const std::string& path) {
  if (!rp::detail::status_of(path).directory) return study::load_measured(path, o.metric);
  std::vector<study::measured_set> runs;
  for (const std::string& run : runs_of(path)) {
    runs.push_back(study::load_measured(run, o.metric));
    check_circumstances(o, runs.front(), runs.back());
  }
  return study::set_of_runs(path, runs);
}

/// Prints the rows that break the gate: slower by more than it, or, without --allow-missing, without a verdict.
int check_gate(const options& o, const study::compared_sets& c, double gate) {
  int code = tool::ok;
  for (const study::compared_row& row : c.rows) {
    if (row.verdict != study::verdict::slower || row.speedup * (1 + gate) >= 1) continue;
    std::cerr << "slower by more than " << rp::concat(100 * gate) << " %: " << tool::shown(row.name, 76) << ", by "
              << rp::figures(100 * (1 / row.speedup - 1)) << " %\n";
    code = tool::failed;
  }
  if (o.allow_missing) return code;
  for (const std::string& row : c.unjudged()) {
    std::cerr << "not judged: " << tool::shown(row) << "; must be, or else --allow-missing\n";
    code = tool::failed;
  }
  return code;
}

int run(const options& o) {
  std::vector<std::string> read = runs_of(o.a);
  for (const std::string& run : runs_of(o.b)) read.push_back(run);
  tool::check_files({.written = {o.json}, .read = read});
  const study::measured_set a = load(o, o.a), b = load(o, o.b);
  check_circumstances(o, a, b);
  const study::comparison_options how{
      .gate = o.gate.empty() ? study::comparison_options{}.gate : share_of(o.gate).value(),
      .pairing = o.paired ? study::pairing::by_round : study::pairing::independent,
      .bootstrap = {.seed = o.seed}};
  const study::compared_sets c = study::compare(a, b, how);
  for (const auto& [name, set] : {std::pair("A", &a), {"B", &b}})
    std::cout << name << ": " << tool::shown(set->source) << ", " << set->format << '\n';
  std::cout << '\n';
  tool::print_comparison(std::cout, c);
  if (!o.json.empty()) {
    nlohmann::ordered_json document = study::to_json_document(c, a, b, how);
    document["version"] = RIDGEPOINT_VERSION_STRING;
    rp::save_json(o.json, document);
  }
  return o.gate.empty() ? tool::ok : check_gate(o, c, how.gate);
}

const tool::command command(
    "compare", "Judge whether B is faster than A, with confidence intervals", [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.add_option(
             "A", o->a,
             "Baseline: JSON of Google Benchmark or of ridgepoint bench, flags or roofline; or a directory of runs")
          ->required();
      app.add_option("B", o->b, "Results to judge against A, in one of these forms")->required();
      CLI::Option* const gate = app.add_option(
          "--gate", o->gate, "Tolerated slowdown, as 5%; exit code 1 if exceeded (default: 2%, only reported)");
      gate->check([](const std::string& text) {
        return share_of(text) ? "" : rp::concat("is ", text, "; must be a percentage from 0 to 100, as 2%");
      });
      app.add_option("--metric", o->metric,
                     "Google Benchmark metric: real_time, cpu_time (excludes other processes) or a counter (more is "
                     "better)")
          ->capture_default_str();
      app.add_flag("--paired", o->paired, "Compare samples or runs pairwise: A and B ran alternately");
      app.add_flag("--allow-missing", o->allow_missing, "Let --gate pass rows that B lacks or that are not judged")
          ->needs(gate);
      app.add_flag("--anyway", o->anyway, "Compare despite different machines, flags or thread counts");
      app.add_option("--json", o->json, "Write the comparison to this file");
      tool::add_seed_option(app, o->seed, "Seed for the resampling");
      app.footer(
          "faster, slower: 1 is outside the 95 % interval of the speed-up, and a rank test agrees\n"
          "(Mann-Whitney, or Wilcoxon with --paired; Holm over all rows). same: the interval is within the\n"
          "gate. can't tell: neither; the reason follows. wide: the interval reaches further than half the\n"
          "gate to either side; take more repetitions.");
      return [o] { return run(*o); };
    });

}  // namespace tool::comparing

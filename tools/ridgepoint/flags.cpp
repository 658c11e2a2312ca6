// SPDX-License-Identifier: MIT
// ridgepoint flags: measures the effect of compiler flags on a Google Benchmark program, with intervals and verdicts.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <regex>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/team.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "flags_hot_loops.hpp"
#include "flags_options.hpp"
#include "flags_page.hpp"
#include "flags_prediction.hpp"
#include "flags_programs.hpp"
#include "flags_report.hpp"
#include "flags_roofs.hpp"
#include "interruption.hpp"
#include "locked_file.hpp"
#include "measurement/doubts.hpp"
#include "number_option.hpp"
#include "progress_bar.hpp"
#include "seed_option.hpp"

namespace tool::flags {

namespace rp = ridgepoint;
namespace fs = std::filesystem;

/// Returns the last core this process may use, since the first ones serve most interrupts; -1: unknown.
int last_core() {
  int last = -1;
  static_cast<void>(rp::detail::for_each_allowed_core([&](int core) { last = core; }));
  return last;
}

/// Returns the sets that have a program: the base, the base again, then the others.
std::vector<flags_contender> contenders_of(const std::vector<flags_build>& builds) {
  const auto contender = [](const flags_build& b, const std::string& name) {
    return flags_contender{.measured = {.set = name}, .programs = b.programs};
  };
  const flags_build& base = builds.at(0);
  std::vector<flags_contender> field{contender(base, base.set.name), contender(base, base.set.name + " again")};
  field[1].first = 1;  // a different layout than the base in the same round, like the other sets
  for (std::size_t i = 1; i < builds.size(); ++i)
    if (builds[i].failure.empty()) field.push_back(contender(builds[i], builds[i].set.name));
  return field;
}

/// Measures the ceilings of each set, unless disabled, nothing is compiled or headers are missing.
void add_roofs(flags_result& result, const flags_options& o) {
  if (o.no_roofs || !o.programs.empty()) return;
  try {
    flags_source ceilings = ceilings_source(o.include);
    ceilings.folder = result.source.folder / "ceilings";
    ceilings.options.insert(ceilings.options.begin(), o.option.begin(), o.option.end());  // its -std comes last
    measure_roofs(result.builds, ceilings, result.how.core);
  } catch (const rp::data_error& e) {
    std::cerr << "ridgepoint: no ceilings: " << e.what() << '\n';
  }
}

/// Returns why Google Benchmark rejects a text as --benchmark_filter, or "". A leading - excludes.
std::string benchmark_filter(const std::string& text) {
  try {
    const std::regex read(text.substr(text.starts_with('-') ? 1 : 0), std::regex::extended);
    return "";
  } catch (const std::regex_error& e) {
    return rp::concat("is ", text, ": ", e.what(), "; must be a regular expression");
  }
}

/// Returns the input files: sources, ladders, programs and compilers; and directories of sources.
std::vector<std::string> files_of(const flags_options& o) {
  std::vector<std::string> files{o.source};
  for (const std::string& ladder : o.sets) files.push_back(tool::json_file(ladder));
  for (const std::string& program : o.programs) files.push_back(file_of(program));
  files.insert(files.end(), o.compilers.begin(), o.compilers.end());
  files.insert(files.end(), o.include.begin(), o.include.end());
  if (!o.target.empty()) files.push_back(o.project);
  return files;
}

/// Copies the MXCSR values that programs report.
void note_mxcsr(std::vector<flags_build>& builds, const std::vector<flags_contender>& field) {
  for (const flags_contender& c : field) {
    const auto build = std::ranges::find(builds, c.programs, &flags_build::programs);
    if (c.mxcsr && build != builds.end()) build->mxcsr = c.mxcsr;
  }
}

/// Throws: value_error with the predicted cost, for more sets than are built without asking.
void ask_about_many(const flags_result& result, const flags_options& o) {
  constexpr std::size_t most_unasked = 64;
  const std::size_t sets = result.builds.size();
  if (sets <= most_unasked || o.yes) return;
  const std::string cost = predicted_cost(result.builds, result.source, result.how);
  if (!interruption::wanted())
    throw rp::value_error(rp::concat("flags: ", sets, " sets would take about ", cost, "; must be at most ",
                                     most_unasked, ", or else --yes"));
}

int run(const flags_options& o) {
  tool::check_files({.written = {o.json, o.html}, .read = files_of(o)});
  const shipped_benchmarks wanted = wanted_benchmarks(o);
  flags_result result{.source = wanted.source, .builds = wanted_sets(o), .field = {}, .how = o.rounds};
  result.how.filter = result.source.filter = wanted.filter;
  result.how.benchmark_s = o.benchmark_s.value_or(wanted.benchmark_s);
  const std::vector<measurement::rule> rules = parse_rules(o, result.builds);
  std::optional<tool::locked_file> lock;
  if (o.programs.empty()) {
    result.source.folder = fs::absolute(tool::made_directory("flags", o.build));
    lock.emplace("flags", fs::path(o.build) / "lock", "another folder, or wait until it has ended");
    tool::check_files(
        {.written = {o.json, o.html, (result.source.folder / "build.json").string()}, .read = files_of(o)});
  }

  result.how.most_s = 60 * o.minutes;
  result.how.core = o.every_core || wanted.every_core ? -1 : last_core();

  const tool::interruption guard;
  ask_about_many(result, o);
  build_flags(result.builds, result.source);
  if (tool::interruption::wanted()) {
    std::cerr << "ridgepoint: interrupted; what was built is kept in " << rp::printable(o.build) << '\n';
    return tool::interrupted;
  }
  rp::require<rp::backend_error>(result.builds[0].failure.empty(), "flags: the base, ", result.builds[0].set.name, ": ",
                                 result.builds[0].failure);
  result.field = contenders_of(result.builds);

  const rp::environment before = rp::observe_environment();
  measurement::say_doubts(before);
  add_roofs(result, o);
  {
    progress_bar bar("measuring");
    result.how.progress = [&](int round, std::size_t done) {
      const auto runs = static_cast<std::int64_t>(result.field.size());
      bar.show(round * runs + static_cast<std::int64_t>(done),
               (1 + std::max({round, o.rounds.least, flags_rounds_options::usual_least})) * runs,
               round == 0 ? "numbers" : rp::concat("round ", round));
    };
    result.end = take_rounds(result.field, result.how);
  }
  result.at = before;
  result.at.steal_share = measurement::say_stolen_time(before);

  note_mxcsr(result.builds, result.field);
  if (!result.base().rounds.empty()) result.rows = judged_rows(result.field, result.how.judging);
  if (!o.no_hot_loops && result.end != flags_end::interrupted)
    result.about_hot_loops =
        find_hot_loops(result.rows, result.builds, result.field, result.how, std::max(60.0, result.how.most_s / 3));
  print_flags_builds(std::cout, result);
  std::cout << '\n';
  print_flags_rows(std::cout, result);
  if (!o.json.empty()) rp::write_file(o.json, flags_json(result));
  if (!o.html.empty()) rp::write_file(o.html, flags_page(result));
  if (tool::interruption::wanted()) return tool::interrupted;
  const std::vector<std::string> broken = broken_rules(rules, result);
  for (const std::string& line : broken) std::cerr << "broken: " << rp::printable(line) << '\n';
  return broken.empty() ? tool::ok : tool::failed;
}

const tool::command command(
    "flags", "Measure the effect of compiler flags on a benchmark", [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<flags_options>();
      CLI::Option* const what =
          app.add_option("what", o->what,
                         "Benchmark: kernels, a network (its training step) or study-d (seven networks)")
              ->capture_default_str();
      CLI::Option* const source =
          app.add_option("--source", o->source, "Google Benchmark program in one C++ file, instead of `what`")
              ->excludes(what);
      CLI::Option* const target =
          app.add_option("--target", o->target, "Executable of a CMake project, instead of `what`")->excludes(what);
      CLI::Option* const project =
          app.add_option("--project", o->project, "Directory of the CMake project")->capture_default_str();
      CLI::Option* const programs =
          app.add_option("--program", o->programs,
                         "NAME=FILE: prebuilt Google Benchmark programs, instead of `what`; the first is the baseline")
              ->excludes(what);
      CLI::Option* const sets = app.add_option("--sets", o->sets,
                                               "Ladders of flag sets: isa, opt, math, study-d or a .json file; several "
                                               "are combined (cross product); with --program: the sets of the programs")
                                    ->capture_default_str();
      app.add_option("--compiler", o->compilers, "Compilers; several are combined with every set")
          ->capture_default_str();
      app.add_option("--base", o->base, "Baseline set (default: the ladder's)");
      CLI::Option* const option =
          app.add_option("--option", o->option, "Extra flag of every set, before its own: --option=-std=c++20");
      CLI::Option* const include = app.add_option("--include", o->include, "Extra include directory");
      include->check(tool::existing_directory());
      CLI::Option* const link = app.add_option("--link", o->link, "Extra link argument: --link=-lm");
      CLI::Option* const build =
          app.add_option("--build", o->build, "Directory for programs, reused by later runs")->capture_default_str();
      for (CLI::Option* const of_builds : {source, target, option, include, link, build}) programs->excludes(of_builds);
      for (CLI::Option* const of_sources : {source, link}) target->excludes(of_sources);
      project->needs(target);
      app.add_option("--rounds", o->rounds.least, "Minimum rounds (default: 10, more for many rows)")
          ->check(tool::number_in(6, 1000));
      app.add_option("--minutes", o->minutes, "Stop when all intervals are narrow, or after this many minutes")
          ->check(tool::number_in(0.0, 10'000.0))
          ->capture_default_str();
      app.add_option("--benchmark-time", o->benchmark_s,
                     "Seconds per benchmark and round (default: 0.03, for `what` 0.01)")
          ->check(tool::number_in(1e-6, 1e4));
      app.add_option("--time-limit", o->rounds.limit_s, "Seconds that one run of a program may take")
          ->check(tool::number_in(0.1, 1e6))
          ->capture_default_str();
      app.add_option("--filter", o->rounds.filter, "Only benchmarks that match this regular expression")
          ->check(benchmark_filter);
      app.add_option("--metric", o->rounds.metric,
                     "Google Benchmark metric: real_time, cpu_time (excludes other processes) or a counter (more is "
                     "better)")
          ->capture_default_str();
      app.add_flag("--every-core", o->every_core, "Do not pin the program to one core");
      app.add_option("--require", o->require,
                     "Rule, as 'gemm/1024: avx2+fma/base >= 2.0' or 'all: accuracy <= 4 ulp'; exit code 1 if broken");
      app.add_flag("--no-roofs", o->no_roofs, "Skip measuring the ceilings of each set");
      app.add_flag("--no-hot-loops", o->no_hot_loops, "Skip hot-loop analysis");
      app.add_flag("--yes", o->yes, "Build and measure more than 64 sets");
      app.add_option("--json", o->json, "Write the result to this file");
      app.add_option("--html", o->html, "Write an HTML page: ladders, accuracy, rooflines, commands");
      tool::add_seed_option(app, o->rounds.seed, "Seed for run order and layouts");
      return [o, sets] {
        o->sets_are_reported = sets->count() > 0;
        return run(*o);
      };
    });

}  // namespace tool::flags

// SPDX-License-Identifier: MIT
// ridgepoint flags: what a compiler's flags buy a program with Google Benchmark, with intervals and verdicts.
#include <sched.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

#include <ridgepoint/core/atomic_file.hpp>

#include "commands.hpp"
#include "directory.hpp"
#include "flags_build.hpp"
#include "flags_page.hpp"
#include "flags_report.hpp"
#include "flags_rounds.hpp"
#include "interruption.hpp"
#include "measurement/doubts.hpp"
#include "measurement/flags/ladder_json.hpp"
#include "progress_bar.hpp"
#include "seed_option.hpp"
#include "writable.hpp"

namespace tool::flags {

namespace rp = ridgepoint;
namespace fs = std::filesystem;

struct options {
  std::string source, build = "ridgepoint-flags", base, json;
  std::vector<std::string> sets{"isa"}, compilers{"c++"}, require, include, link, option;
  double minutes = 5;
  bool every_core = false, yes = false;
  std::string html;
  flags_rounds_options rounds;
};

/// The ladders that come with this program: ../share/ridgepoint/flags.
fs::path ladder_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "share" / "ridgepoint" / "flags";
}

/// A ladder by its name, or from the file that is named.
measurement::ladder find_ladder(const std::string& name) {
  const fs::path shipped = ladder_folder() / (name + ".json");
  const bool is_name = name.find('/') == std::string::npos && !name.ends_with(".json");
  if (!is_name) return measurement::load_ladder(name);
  std::error_code failure;
  if (!fs::exists(shipped, failure)) {
    std::string known;
    for (const auto& file : fs::directory_iterator(ladder_folder(), failure))
      known += (known.empty() ? "" : ", ") + file.path().stem().string();
    throw rp::data_error(
        rp::concat("flags: no ladder is called ", name, "; must be one of ", known, " or a file .json"));
  }
  return measurement::load_ladder(shipped.string());
}

/// All that are to be built, with their names, the base first.
std::vector<flags_build> wanted_sets(const options& o) {
  measurement::ladder ladder = find_ladder(o.sets.at(0));
  for (std::size_t i = 1; i < o.sets.size(); ++i) ladder = measurement::crossed(ladder, find_ladder(o.sets[i]));
  std::vector<flags_build> wanted;
  std::set<std::string> compilers;
  std::string base;
  for (const std::string& name : o.compilers) {
    const found_compiler compiler = find_compiler(name);
    const std::string called = fs::path(name).filename().string();
    rp::require<rp::value_error>(compilers.insert(called).second, "flags: two compilers are called ", called,
                                 "; must differ");
    const std::string prefix = o.compilers.size() == 1 ? "" : called + ',';
    if (base.empty()) base = prefix + ladder.base;
    for (const measurement::flag_set& set : ladder.sets)
      wanted.push_back({.set = {.name = prefix + set.name, .flags = set.flags}, .compiler = compiler});
  }
  constexpr std::size_t most_unasked = 64;
  rp::require<rp::value_error>(wanted.size() <= most_unasked || o.yes, "flags: ", wanted.size(),
                               " sets to build and measure; must be at most ", most_unasked, ", or else --yes");
  if (!o.base.empty()) base = o.base;
  const auto at = std::ranges::find(wanted, base, [](const flags_build& b) { return b.set.name; });
  std::string names;
  for (const flags_build& b : wanted) names += (names.empty() ? "" : ", ") + b.set.name;
  rp::require<rp::value_error>(at != wanted.end(), "flags: no set is called ", base, "; must be one of ", names);
  std::rotate(wanted.begin(), at, at + 1);
  return wanted;
}

/// Throws: value_error for a rule about a set that there is not.
std::vector<measurement::rule> parse_rules(const options& o, const std::vector<flags_build>& sets) {
  std::vector<measurement::rule> rules;
  for (const std::string& text : o.require) {
    rules.push_back(measurement::parse_rule(text));
    const bool known = std::ranges::any_of(sets, [&](const flags_build& b) { return b.set.name == rules.back().set; });
    rp::require<rp::value_error>(known, "rule: '", text, "' is about ", rules.back().set,
                                 "; must be about a set there is");
  }
  return rules;
}

/// The last core that this process may use: the first ones serve most interrupts.
int last_core() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  int last = -1;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(static_cast<std::size_t>(core), &allowed)) last = core;
  return last;
}

/// Those that have a program, the base first and once more behind it.
std::vector<flags_contender> contenders_of(const std::vector<flags_build>& builds) {
  const auto contender = [](const flags_build& b, const std::string& name) {
    return flags_contender{.measured = {.set = name}, .programs = b.programs};
  };
  const flags_build& base = builds.at(0);
  std::vector<flags_contender> field{contender(base, base.set.name), contender(base, base.set.name + " again")};
  for (std::size_t i = 1; i < builds.size(); ++i)
    if (builds[i].failure.empty()) field.push_back(contender(builds[i], builds[i].set.name));
  return field;
}

int run(const options& o) {
  tool::check_writable(o.json);
  tool::check_writable(o.html);
  rp::require<rp::data_error>(fs::is_regular_file(o.source), "flags: ", o.source, ": no such file; must be a source");
  flags_result result{.source = {.file = fs::absolute(o.source),
                                 .folder = {},
                                 .options = o.option,
                                 .include = o.include,
                                 .link = o.link},
                      .builds = wanted_sets(o),
                      .field = {},
                      .how = o.rounds};
  const std::vector<measurement::rule> rules = parse_rules(o, result.builds);
  result.source.folder = fs::absolute(tool::made_directory("flags", o.build));
  tool::check_writable((result.source.folder / "build.json").string());

  const tool::interruption guard;
  build_flags(result.builds, result.source);
  if (tool::interruption::wanted()) {
    std::cerr << "ridgepoint: interrupted; what was built is kept in " << o.build << '\n';
    return tool::interrupted;
  }
  rp::require<rp::backend_error>(result.builds[0].failure.empty(), "flags: the base, ", result.builds[0].set.name, ": ",
                                 result.builds[0].failure);
  result.field = contenders_of(result.builds);

  const rp::environment before = rp::observe_environment();
  measurement::say_doubts(before);
  result.how.most_s = 60 * o.minutes;
  result.how.core = o.every_core ? -1 : last_core();
  {
    progress_bar bar("measuring");
    result.how.progress = [&](int round, std::size_t done) {
      const auto runs = static_cast<std::int64_t>(result.field.size());
      bar.show(round * runs + static_cast<std::int64_t>(done), std::max(round + 1, o.rounds.least) * runs,
               rp::concat("round ", round + 1));
    };
    result.end = take_rounds(result.field, result.how);
  }
  result.at = before;
  result.at.steal_share = measurement::say_stolen_time(before);

  if (!result.base().rounds.empty()) {
    const std::vector<flags_contender>& field = result.field;
    std::vector<measurement::set_rounds> others;
    for (std::size_t i = 1; i < field.size(); ++i) others.push_back(field[i].measured);
    result.rows = measurement::judged_rows(result.base(), others, result.how.judging);
  }
  print_flags_builds(std::cout, result);
  std::cout << '\n';
  print_flags_rows(std::cout, result);
  if (!o.json.empty()) rp::write_file(o.json, flags_json(result));
  if (!o.html.empty()) rp::write_file(o.html, flags_page(result));
  if (result.end == flags_end::interrupted) return tool::interrupted;
  const std::vector<std::string> broken = broken_rules(rules, result);
  for (const std::string& line : broken) std::cerr << "broken: " << line << '\n';
  return broken.empty() ? tool::ok : tool::failed;
}

const tool::command command(
    "flags", "Tell what compiler flags buy: a benchmark built with each set of them, with intervals and verdicts",
    [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.add_option("--source", o->source, "A program with Google Benchmark, one file of C++, with main() or without")
          ->required();
      app.add_option("--sets", o->sets,
                     "Sets of flags: isa, opt, math, study-d, or a file .json; several: each with each")
          ->capture_default_str();
      app.add_option("--compiler", o->compilers, "What compiles it; several: each set with each")
          ->capture_default_str();
      app.add_option("--base", o->base, "The set that the others are held against; else what the ladder says");
      app.add_option("--option", o->option, "One more flag of every set, before its own: --option=-std=c++20");
      app.add_option("--include", o->include, "A directory to look for headers in");
      app.add_option("--link", o->link, "One more argument when linking: --link=-lm");
      app.add_option("--build", o->build, "Where programs are built and kept for the next time")->capture_default_str();
      app.add_option("--rounds", o->rounds.least, "At least as many rounds, whatever time they take")
          ->check(CLI::Range(6, 1000))
          ->capture_default_str();
      app.add_option("--minutes", o->minutes, "More rounds are taken until no interval is wide, or so long")
          ->check(CLI::Range(0.0, 10'000.0))
          ->capture_default_str();
      app.add_option("--benchmark-time", o->rounds.benchmark_s, "Seconds that every benchmark has in a round, at least")
          ->check(CLI::Range(1e-6, 1e4))
          ->capture_default_str();
      app.add_option("--time-limit", o->rounds.limit_s, "Seconds after which a run of the program is ended")
          ->check(CLI::Range(0.1, 1e6))
          ->capture_default_str();
      app.add_option("--filter", o->rounds.filter, "Only benchmarks whose names this regular expression finds");
      app.add_option(
             "--metric", o->rounds.metric,
             "What to take: real_time, cpu_time, which leaves out what others had the core for, or the name of a "
             "counter, of which more is better")
          ->capture_default_str();
      app.add_flag("--every-core", o->every_core, "Do not keep the program on one core: it has several threads");
      app.add_option("--require", o->require,
                     "A rule, as 'gemm/1024: avx2+fma/base >= 2.0'; all for every row. If one is broken the exit code "
                     "is 1");
      app.add_flag("--yes", o->yes, "Build and measure more than 64 sets");
      app.add_option("--json", o->json, "Write everything to this file");
      app.add_option("--html", o->html, "Write a page of it to this file: ladders, accuracy, rooflines, commands");
      tool::add_seed_option(app, o->rounds.seed, "Of the orders of the rounds and of the layouts");
      return [o] { return run(*o); };
    });

}  // namespace tool::flags

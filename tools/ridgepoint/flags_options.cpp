// SPDX-License-Identifier: MIT
#include "flags_options.hpp"

#include <algorithm>
#include <set>

#include <ridgepoint/core/nearest_name.hpp>

#include "flags_programs.hpp"
#include "measurement/flags/ladder_json.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
namespace fs = std::filesystem;

/// Returns a ladder by its name, or from the named file.
measurement::ladder find_ladder(const std::string& name) {
  const bool is_name = name.find('/') == std::string::npos && !name.ends_with(".json");
  if (!is_name) return measurement::load_ladder(name);
  std::error_code failure;
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(flags_folder(), failure)) {
    if (file.path().extension() != ".json") continue;
    names.push_back(file.path().stem().string());
    if (rp::same_name(names.back(), name)) return measurement::load_ladder(file.path().string());
  }
  throw rp::data_error(rp::concat("flags: no ladder is called ", name, "; must be one of ", rp::names_of(names),
                                  " or a file .json", rp::did_you_mean(name, {names.begin(), names.end()})));
}

/// Throws: value_error for an unknown name.
void put_first(std::vector<flags_build>& sets, const std::string& name) {
  const auto at = std::ranges::find_if(sets, [&](const flags_build& b) { return rp::same_name(b.set.name, name); });
  std::vector<std::string_view> known;
  known.reserve(sets.size());
  for (const flags_build& b : sets) known.push_back(b.set.name);
  rp::require<rp::value_error>(at != sets.end(), "flags: no set is called ", name, "; must be one of ",
                               rp::names_of(known), rp::did_you_mean(name, known));
  std::rotate(sets.begin(), at, at + 1);
}

/// Returns the cross product of the ladders.
measurement::ladder crossed_ladders(const std::vector<std::string>& names) {
  constexpr std::size_t most_sets = 10'000;
  measurement::ladder all = find_ladder(names.at(0));
  for (std::size_t i = 1; i < names.size(); ++i) {
    const measurement::ladder more = find_ladder(names[i]);
    rp::require<rp::value_error>(all.sets.size() * more.sets.size() <= most_sets, "flags: ladders of ", all.sets.size(),
                                 " and ", more.sets.size(), " sets are crossed; must be at most ", most_sets, " sets");
    all = measurement::crossed(all, more);
  }
  return all;
}

/// Returns the sets of the ladders, with each of the compilers, the base first.
std::vector<flags_build> sets_of_ladders(const flags_options& o) {
  const measurement::ladder ladder = crossed_ladders(o.sets);
  std::vector<flags_build> sets;
  std::set<std::string> compilers;
  std::string base;
  for (const std::string& name : o.compilers) {
    const found_compiler compiler = find_compiler(name);
    const std::string called = fs::path(name).filename().string();
    rp::require<rp::value_error>(compilers.insert(called).second, "flags: two compilers are called ", called,
                                 "; must differ");
    const std::string prefix = o.compilers.size() == 1 ? "" : called + ',';
    if (base.empty()) base = prefix + ladder.base;
    for (const measurement::flag_set& set : ladder.sets) {
      sets.push_back({.set = set, .compiler = compiler});
      sets.back().set.name = prefix + set.name;
    }
  }
  put_first(sets, base);
  return sets;
}

}  // namespace

std::vector<flags_build> wanted_sets(const flags_options& o) {
  const std::vector<named_program> programs = parse_programs(o.programs);
  std::vector<flags_build> wanted = programs.empty() || o.sets_are_reported ? sets_of_ladders(o) : sets_of(programs);
  if (!programs.empty() && o.sets_are_reported) attach(wanted, programs);
  if (!programs.empty()) put_first(wanted, programs[0].set);
  if (!o.base.empty()) put_first(wanted, o.base);
  return wanted;
}

std::vector<measurement::rule> parse_rules(const flags_options& o, const std::vector<flags_build>& sets) {
  std::vector<measurement::rule> rules;
  for (const std::string& text : o.require) {
    rules.push_back(measurement::parse_rule(text));
    const bool known = rules.back().is_of_accuracy() ||
                       std::ranges::any_of(sets, [&](const flags_build& b) { return b.set.name == rules.back().set; });
    rp::require<rp::value_error>(known, "rule: '", text, "' is about ", rules.back().set, "; must be one of the sets");
  }
  return rules;
}

shipped_benchmarks wanted_benchmarks(const flags_options& o) {
  shipped_benchmarks wanted;
  if (!o.source.empty()) {
    rp::require<rp::data_error>(fs::is_regular_file(o.source), "flags: ", o.source, ": no such file; must be a source");
    wanted.source = {.file = fs::absolute(o.source), .folder = {}, .include = o.include};
  } else if (!o.target.empty()) {
    rp::require<rp::data_error>(fs::is_regular_file(fs::path(o.project) / "CMakeLists.txt"), "flags: ", o.project,
                                ": has no CMakeLists.txt; must be the folder of a project");
    wanted.source = {.file = fs::canonical(o.project), .folder = {}, .include = o.include, .target = o.target};
    wanted.source.cmake = find_cmake(wanted.source.file, fs::weakly_canonical(o.build));
  } else if (o.programs.empty()) {
    wanted = shipped_for(o.what, o.include);
  }
  if (!o.rounds.filter.empty()) wanted.filter = o.rounds.filter;
  wanted.source.options.insert(wanted.source.options.end(), o.option.begin(), o.option.end());
  wanted.source.link = o.link;
  return wanted;
}

}  // namespace tool

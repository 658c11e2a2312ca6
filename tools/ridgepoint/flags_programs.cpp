// SPDX-License-Identifier: MIT
#include "flags_programs.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "found_program.hpp"
#include "measurement/flags/ladder_json.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
namespace fs = std::filesystem;

/// Returns true for set names separated by commas, as for crossed ladders.
bool names_sets(const std::string& name) {
  std::istringstream parts(name);
  bool all = !name.empty() && name.back() != ',';
  for (std::string part; std::getline(parts, part, ',');) all = all && measurement::detail::names_a_set(part);
  return all;
}

}  // namespace

std::string file_of(const std::string& program) {
  return program.substr(program.substr(0, program.find('/')).rfind('=') + 1);
}

std::vector<named_program> parse_programs(const std::vector<std::string>& texts) {
  std::vector<named_program> programs;
  std::set<std::string> names;
  for (const std::string& text : texts) {
    const std::size_t end = text.substr(0, text.find('/')).rfind('=');
    const std::string name = end == std::string::npos ? "" : text.substr(0, end);
    rp::require<rp::value_error>(names_sets(name), "flags: --program is ", text,
                                 "; must be NAME=FILE, the name of letters, digits and + - . _ = ,");
    rp::require<rp::value_error>(names.insert(name).second, "flags: --program is ", name,
                                 " once more; must differ from the others");
    const fs::path file = found_program(fs::absolute(file_of(text)).string());
    rp::require<rp::data_error>(!file.empty(), "flags: --program is ", text,
                                ", which cannot be executed; must be a program");
    programs.push_back({.set = name, .file = file});
  }
  return programs;
}

std::vector<flags_build> sets_of(const std::vector<named_program>& programs) {
  std::vector<flags_build> sets;
  sets.reserve(programs.size());
  for (const named_program& program : programs)
    sets.push_back({.set = {.name = program.set}, .compiler = {}, .programs = {program.file}, .built_elsewhere = true});
  return sets;
}

void attach(std::vector<flags_build>& sets, const std::vector<named_program>& programs) {
  for (const named_program& program : programs) {
    const auto set = std::ranges::find(sets, program.set, [](const flags_build& b) { return b.set.name; });
    rp::require<rp::value_error>(set != sets.end(), "flags: --program ", program.set,
                                 " belongs to no set; must be one of --sets");
    set->programs = {program.file};
  }
  for (flags_build& set : sets) {
    set.built_elsewhere = true;
    try {
      check_flags(set.set.flags, macros_of(joined({{set.compiler.file.string()}, set.set.flags})));
      if (set.programs.empty()) set.failure = "has no program";
    } catch (const build_failure& e) {
      set.failure = e.what();
      set.programs.clear();
    }
  }
}

}  // namespace tool

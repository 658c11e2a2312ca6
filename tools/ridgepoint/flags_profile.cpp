// SPDX-License-Identifier: MIT
#include "flags_profile.hpp"

#include <algorithm>

#include "flags_rounds.hpp"
#include "found_program.hpp"

namespace tool {
namespace {

namespace fs = std::filesystem;

/// Returns the environment of a timing-only run, except for the path of the profile.
std::vector<std::string> training_environment(const fs::path& profile) {
  std::vector<std::string> variables = benchmark_environment(telling::time);
  std::erase_if(variables, [](const std::string& variable) {
    return variable.starts_with("GCOV_PREFIX") || variable.starts_with("LLVM_PROFILE_FILE=");
  });
  variables.push_back("LLVM_PROFILE_FILE=" + profile.string());
  return variables;
}

void must_exist(const fs::path& profile) {
  if (!fs::exists(profile)) throw build_failure("its profiling run wrote no profile");
}

/// Converts the raw profile to Clang's format.
fs::path merged(const std::string& clang, const fs::path& raw) {
  fs::path profile = fs::path(raw).replace_extension(".profdata");
  std::string name = run_compiler({clang, "-print-prog-name=llvm-profdata"});
  name.erase(std::min(name.find('\n'), name.size()));
  const fs::path program = found_program(name);
  if (program.empty()) throw build_failure("llvm-profdata cannot be executed; a profile of Clang needs it");
  run_compiler({program.string(), "merge", "-o", profile.string(), raw.string()});
  return profile;
}

}  // namespace

arguments trained_flags(const arguments& command, const flags_source& of, const arguments& libraries,
                        const fs::path& object, compiler_family family) {
  const std::string program = (object.parent_path() / "training").string();
  const fs::path counted = fs::path(object).replace_extension(family == compiler_family::clang ? ".profraw" : ".gcda");
  const arguments counting = joined({command, {"-fprofile-generate", "-fprofile-update=prefer-atomic"}});
  run_compiler(joined({counting, {"-c", of.file.string(), "-o", object.string()}}));
  run_compiler(joined({counting, {object.string(), "-o", program}, libraries}));
  arguments training{program, "--benchmark_min_time=0.01"};
  if (!of.filter.empty()) training.push_back("--benchmark_filter=" + of.filter);
  const process_end end = run_bounded(training, training_environment(counted), build_limits);
  if (!end.well()) throw build_failure("its run for a profile: " + end.text(build_limits));
  must_exist(counted);
  if (family == compiler_family::clang) return {"-fprofile-use=" + merged(command.at(0), counted).string()};
  return {"-fprofile-use", "-fprofile-correction", "-Werror=missing-profile"};
}

}  // namespace tool

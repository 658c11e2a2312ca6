// SPDX-License-Identifier: MIT
#include "flags_compiler.hpp"

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/roofline/environment.hpp>

#include "found_program.hpp"
#include "measurement/flags/compiler_output.hpp"
#include "measurement/flags/cpu_features.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;

void refuse(const std::vector<std::string>& what, const char* why) {
  if (!what.empty()) throw build_failure(rp::names_of(what) + why);
}

}  // namespace

arguments joined(std::initializer_list<arguments> parts) {
  arguments all;
  for (const arguments& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

found_compiler find_compiler(const std::string& name) {
  found_compiler found{.name = name, .version = {}, .file = found_program(name)};
  const auto must_run = [&](const std::string& why) {
    rp::require<rp::data_error>(why.empty(), "flags: --compiler is ", name, ", which ", why,
                                "; must be a C++ compiler");
  };
  must_run(found.file.empty() ? "cannot be executed" : "");
  const process_limits limits{.seconds = 60};
  const process_end end = run_bounded({found.file.string(), "--version"}, own_environment(), limits);
  must_run(end.well() ? "" : "does not say its version: " + end.text(limits));
  const process_end macros =
      run_bounded({found.file.string(), "-dM", "-E", "-x", "c++", "/dev/null"}, own_environment(), limits);
  must_run(macros.well() && measurement::defined_macros(macros.printed).contains("__cplusplus")
               ? ""
               : "is not a C++ compiler: it does not define __cplusplus");
  found.version = end.printed.substr(0, end.printed.find('\n'));
  return found;
}

std::string run_build_step(const arguments& command, std::string (*complaint_of)(const process_end&)) {
  const process_end end = run_bounded(command, own_environment(), build_limits);
  if (end.well()) return end.printed;
  const std::string complaint = complaint_of(end);
  throw build_failure(complaint.empty() || end.how != process_end::kind::exited ? end.text(build_limits) : complaint);
}

std::string run_compiler(const arguments& command) {
  return run_build_step(command, [](const process_end& end) { return measurement::first_complaint(end.complained); });
}

std::set<std::string> macros_of(const arguments& command) {
  return measurement::defined_macros(run_compiler(joined({command, {"-dM", "-E", "-x", "c++", "/dev/null"}})));
}

compiler_family family_of(const std::set<std::string>& macros) {
  return macros.contains("__clang__") ? compiler_family::clang : compiler_family::gnu;
}

void check_flags(const arguments& flags, const std::set<std::string>& macros) {
  refuse(measurement::revoked_flags(flags, macros), " has no effect with the other flags");
  if (const std::string features = rp::detail::cpuinfo("flags"); features != "unknown")
    refuse(measurement::lacking_features(macros, features), " is not in this CPU");
}

}  // namespace tool

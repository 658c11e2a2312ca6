// SPDX-License-Identifier: MIT
#include "flags_page.hpp"

#include <ridgepoint/roofline/environment.hpp>

#include "measurement/flags/page_json.hpp"
#include "vega_bundle.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + measurement::shell_word(word);
  return line;
}

/// Returns the command that rebuilds the program of a source. Programs of a project, profile-guided ones and prebuilt
/// ones stay at their place.
std::string run_command(const flags_result& result, const flags_build& build) {
  if (!build.built_elsewhere && result.source.target.empty() && !build.set.profile_guided)
    return shell_line(build_command(build, result.source, "program")) + " && ./program";
  return build.programs.empty() ? "" : measurement::shell_word(build.programs[0].string());
}

measurement::page_set reported_set(const flags_result& result, const flags_build& build) {
  return {.set = build.set,
          .compiler = build.compiler.version,
          .command = run_command(result, build),
          .failure = failure_of(result, build),
          .has_program = !build.programs.empty(),
          .flushes_denormals = !flushing_of(build).empty(),
          .compile_s = build.compile_s,
          .code_bytes = build.code_bytes,
          .roof = build.roof};
}

/// Returns the machine and the settings, and what the program reports about both.
std::vector<std::pair<std::string, std::string>> reported_circumstances(const flags_result& result) {
  const rp::environment& at = result.at;
  const flags_rounds_options& how = result.how;
  std::vector<std::pair<std::string, std::string>> all{
      {"source", result.source.file.string()},
      {"CPU", at.cpu_model},
      {"hypervisor", at.hypervisor},
      {"cores allowed", rp::concat(at.cores_allowed)},
      {"ran on", how.core < 0 ? std::string("every core") : rp::concat("core ", how.core)},
      {"load average", rp::figures(at.load_1min)},
      {"taken by the host", rp::figures(100 * at.steal_share) + " % of the time"},
      {"frequency governor", at.governor},
      {"measured", rp::concat(how.metric, ", ", how.benchmark_s, " s of each benchmark in a round, seed ", how.seed)},
      {"ridgepoint", RIDGEPOINT_VERSION_STRING}};
  for (const std::string& variable : at.variables) all.emplace_back("environment", variable);
  if (!result.base().rounds.empty())
    for (const auto& [name, value] : result.base().rounds[0].circumstances) all.emplace_back("base: " + name, value);
  return all;
}

}  // namespace

std::string flags_page(const flags_result& result) {
  measurement::flags_page page{
      .title = "What flags buy: " + measurement::shown(result.source.file.filename().string(), 60),
      .base = result.base().set,
      .control = result.base_again().set,
      .gate = result.how.judging.gate,
      .rows = result.rows,
      .summary = flags_summary(result),
      .doubts = rp::suspicions(result.at),
      .circumstances = reported_circumstances(result)};
  for (const flags_build& build : result.builds) page.sets.push_back(reported_set(result, build));
  return measurement::flags_html(page, nlohmann::json::parse(flags_json(result)), vega_bundle());
}

}  // namespace tool

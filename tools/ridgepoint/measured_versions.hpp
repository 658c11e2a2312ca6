// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/quantile.hpp>
#include <ridgepoint/roofline/strict_json.hpp>
#include <ridgepoint/study/target.hpp>

#include "measurement/shown.hpp"

/// Speed-ups of newer compilers and libraries, from measurements of different versions.
namespace tool::versions {

namespace rp = ridgepoint;
using lines = std::vector<rp::study::comparison>;
using rates = std::map<std::string, double>;  // by shape, per second

inline constexpr std::string_view file_prefix = "versions_", file_suffix = ".json";

/// Adds the geometric mean of ratios. Throws: data_error without ratios.
inline void add_mean(lines& to, const std::string& what, const std::vector<double>& ratios) {
  rp::require<rp::data_error>(!ratios.empty(), what, ": no row in common; must have at least 1");
  double sum = 0;
  for (const double ratio : ratios) sum += std::log(ratio);
  const std::string rows = ratios.size() == 1 ? "" : rp::concat(", ", ratios.size(), " rows");
  to.push_back({what + rows, std::exp(sum / static_cast<double>(ratios.size())), std::nan("")});
}

/// Returns the last part of a benchmark's name if it names a kind, as in "relu/1x65536/definition"; else "".
[[nodiscard]] inline std::string kind_of(const std::string& benchmark) {
  const std::string last = benchmark.substr(benchmark.rfind('/') + 1);
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return last != benchmark && std::ranges::all_of(last, is_letter) ? last : "";
}

/// Adds the sets of a file of `flags`, over its base, by kind of benchmark; the base against itself shows the noise.
/// `name`: of the file, without its prefix.
inline void add_sets(lines& to, const rp::json_reader& in, const std::string& name) {
  std::map<std::string, std::vector<double>> speed_ups;
  const std::string base = measurement::shown(in.text("base"));
  for (const rp::json_reader& row : in.objects("rows"))
    if (const std::optional<double> speed_up = row.optional_number("speedup", 1e-9, 1e9)) {
      const std::string kind = kind_of(row.text("name", 65'536)), set = measurement::shown(row.text("set"));
      speed_ups[rp::concat(name, kind.empty() ? "" : ", " + kind, ": ", set, " over ", base)].push_back(*speed_up);
    }
  for (const auto& [what, ratios] : speed_ups) add_mean(to, what, ratios);
}

/// One file of `bench`.
struct bench_run {
  std::string file, cpu_model;
  std::vector<std::string> names = {};              // implementations, in their order
  std::map<std::string, std::string> version = {};  // by implementation; of this library, its compiler
  std::map<std::string, rates> measured = {};       // by implementation
};

[[nodiscard]] inline bench_run run_of(const rp::json_reader& in, const std::string& file) {
  const rp::json_reader environment = in.object("environment");
  bench_run run{.file = file, .cpu_model = environment.text("cpu_model")};
  const std::string ours = in.text("ours");
  for (const rp::json_reader& row : in.objects("rows")) {
    const rp::json_reader of_row = row.object("rates");
    const std::string shape = row.text("shape");
    for (const std::string& name : of_row.keys()) run.measured[name][shape] = of_row.number(name.c_str(), 1e-12, 1e24);
  }
  for (const std::string& line : in.texts("implementations", 1000)) {  // "onednn any: oneDNN 2.6.3 / threads"
    const std::string name = line.substr(0, line.find_first_of(" :"));
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos || !run.measured.contains(name) || run.version.contains(name)) continue;
    const std::string about = line.substr(colon + 2, line.find(" / ", colon) - (colon + 2));
    run.names.push_back(name);
    run.version[name] = measurement::shown(name == ours ? environment.text("compiler") : about);
  }
  return run;
}

/// Returns the implementations of all runs, in their order.
[[nodiscard]] inline std::vector<std::string> names_of(const std::vector<bench_run>& runs) {
  std::vector<std::string> names;
  for (const bench_run& run : runs)
    for (const std::string& name : run.names)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

/// Returns the median rate for each shape of the runs with a version.
[[nodiscard]] inline rates medians_of(const std::vector<bench_run>& runs, const std::string& name,
                                      const std::string& version) {
  std::map<std::string, std::vector<double>> all;
  for (const bench_run& run : runs) {
    const auto found = run.version.find(name);
    if (found == run.version.end() || found->second != version) continue;
    for (const auto& [shape, rate] : run.measured.at(name)) all[shape].push_back(rate);
  }
  rates medians;
  for (const auto& [shape, of_runs] : all) medians[shape] = rp::median(of_runs);
  return medians;
}

[[nodiscard]] inline std::vector<double> ratios_of(const rates& above, const rates& below) {
  std::vector<double> ratios;
  for (const auto& [shape, rate] : below)
    if (const auto found = above.find(shape); found != above.end()) ratios.push_back(found->second / rate);
  return ratios;
}

/// Adds an implementation's later versions over its first; compilers over the first version of the same compiler.
inline void add_versions(lines& to, const std::string& of, const std::vector<bench_run>& runs,
                         const std::string& name) {
  std::vector<std::string> versions;
  for (const bench_run& run : runs)
    if (const auto found = run.version.find(name); found != run.version.end())
      if (std::ranges::find(versions, found->second) == versions.end()) versions.push_back(found->second);
  const auto product = [](const std::string& version) { return version.substr(0, version.find(' ')); };
  for (const std::string& version : versions) {
    const std::string base =
        *std::ranges::find_if(versions, [&](const std::string& v) { return product(v) == product(version); });
    if (base != version)
      add_mean(to, rp::concat(of, name, ", ", version, " over ", base),
               ratios_of(medians_of(runs, name, version), medians_of(runs, name, base)));
  }
}

/// Adds a peer's setting over the peer's first one in the same run, for each version, as medians over the runs.
inline void add_settings(lines& to, const std::string& of, const std::vector<bench_run>& runs,
                         const std::string& name) {
  std::map<std::string, std::map<std::string, std::vector<double>>> all;  // by settings and version, by shape
  for (const bench_run& run : runs) {
    const auto same_peer = [&](const std::string& other) {
      return other.substr(0, other.find('.')) == name.substr(0, name.find('.'));
    };
    const auto version = run.version.find(name);
    if (version == run.version.end()) continue;
    const std::string& first = *std::ranges::find_if(run.names, same_peer);
    if (first == name) continue;
    auto& ratios = all[rp::concat(name, " over ", first, ", ", version->second)];
    for (const auto& [shape, rate] : run.measured.at(name))
      if (const auto found = run.measured.at(first).find(shape); found != run.measured.at(first).end())
        ratios[shape].push_back(rate / found->second);
  }
  for (const auto& [what, by_shape] : all) {
    std::vector<double> ratios;
    for (const auto& [shape, of_runs] : by_shape) ratios.push_back(rp::median(of_runs));
    add_mean(to, of + what, ratios);
  }
}

/// Returns a command without the Python that it names: environments hold versions.
[[nodiscard]] inline std::string without_python(std::string command) {
  constexpr std::string_view option = " --python ";
  if (const std::size_t start = command.find(option); start != std::string::npos)
    command.erase(start, command.find(' ', start + option.size()) - start);
  return command;
}

}  // namespace tool::versions

namespace tool {

/// Measured speed-ups, and the CPUs of the measurements.
struct version_gains {
  std::vector<rp::study::comparison> lines = {};
  std::set<std::string> cpu_models = {};
};

/// Returns the speed-ups of newer compilers and libraries from files versions_*.json of a folder: geometric means over
/// the rows that both have.
///
/// A file of `ridgepoint flags --json` gives each set of flags and compiler over the base. Files of `ridgepoint bench
/// --json` with the same command, in the order of their names, give each implementation over its first version; the
/// version of this library is its compiler. Files of one version count with the medians of their rates. A peer's
/// settings, such as pytorch.compile, are compared with its first one.
/// Throws: data_error for a file of another kind, for files of one command from different CPUs, and for versions
/// without a row in common.
[[nodiscard]] inline version_gains measured_versions(const std::filesystem::path& data) {
  namespace v = versions;
  version_gains found;
  std::map<std::string, std::vector<v::bench_run>> by_command;
  if (data.empty()) return found;
  for (const std::string& name : rp::detail::directory_entries(data.string())) {
    if (!name.starts_with(v::file_prefix) || !name.ends_with(v::file_suffix)) continue;
    const std::string file = rp::detail::in_directory(data.string(), name);
    const rp::json document = rp::parse_strict(rp::read_file(file, 32 << 20), file);
    const rp::json_reader in(document, file + ": ");
    found.cpu_models.insert(measurement::shown(in.object("environment").text("cpu_model")));
    if (in.text("schema") == "ridgepoint.flags") {
      in.require_schema("ridgepoint.flags");
      v::add_sets(found.lines, in,
                  name.substr(v::file_prefix.size(), name.size() - v::file_prefix.size() - v::file_suffix.size()));
      continue;
    }
    in.require_schema("ridgepoint.versus", 2);
    std::vector<v::bench_run>& runs = by_command[v::without_python(in.text("command"))];
    runs.push_back(v::run_of(in, file));
    rp::require<rp::data_error>(runs.back().cpu_model == runs[0].cpu_model, file, ": cpu_model is ",
                                measurement::shown(runs.back().cpu_model), "; must be ",
                                measurement::shown(runs[0].cpu_model), " as in ", runs[0].file);
  }
  for (const auto& [command, runs] : by_command) {
    const std::string of = measurement::shown(command) + ": ";
    const std::vector<std::string> names = v::names_of(runs);
    for (const std::string& name : names) v::add_versions(found.lines, of, runs, name);
    for (const std::string& name : names) v::add_settings(found.lines, of, runs, name);
  }
  return found;
}

}  // namespace tool

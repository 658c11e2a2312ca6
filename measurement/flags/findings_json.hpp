// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <ridgepoint/study/measured/load_json.hpp>

#include "mxcsr.hpp"
#include "row_findings.hpp"

namespace measurement {

/// Returns the findings of each benchmark in a result of Google Benchmark, by name; counters that are not finite are
/// NaN. Throws: ridgepoint::data_error if it is not such a result.
inline std::map<std::string, row_findings> read_findings(const std::string& text, const std::string& source) {
  namespace rp = ridgepoint;
  namespace study = rp::study;
  constexpr std::pair<const char*, std::optional<double> row_findings::*> counters[] = {
      {"ulp_max", &row_findings::ulp_max},   {"ulp_mean", &row_findings::ulp_mean},
      {"loss", &row_findings::loss},         {"gradient_error", &row_findings::gradient_error},
      {"bits", &row_findings::bits},         {"nan_kept", &row_findings::nan_kept},
      {"flop_per_s", &row_findings::flop},   {"subnormals_kept", &row_findings::subnormals_kept},
      {"bytes_per_s", &row_findings::bytes}, {"bytes_per_second", &row_findings::bytes}};
  const study::google_benchmark_document file = study::parse_google_benchmark(text, source);
  const std::vector<rp::json_reader> runs = rp::json_reader(file.document, source + ": ").objects("benchmarks");
  std::map<std::string, row_findings> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (file.unreadable.contains(i)) continue;
    const rp::json_reader& run = runs[i];
    if (run.has("run_type") && run.text("run_type") != "iteration") continue;
    row_findings found;
    for (const auto& [counter, member] : counters)
      if (run.has(counter)) found.*member = run.optional_number(counter, -HUGE_VAL).value_or(NAN);
    const std::string name = run.text(run.has("run_name") ? "run_name" : "name", 65'536);
    const bool by_clock =
        name.find("/real_time") != std::string::npos || name.find("/manual_time") != std::string::npos;
    const char* const divided_by = by_clock ? "real_time" : "cpu_time";  // as the rates are
    const double time_s = run.optional_number(divided_by, 0).value_or(0) * study::detail::seconds_of_unit(run);
    for (auto* const rate : {&found.flop, &found.bytes})
      if (rate->has_value()) *rate = rate->value() * time_s;
    if (run.has("iterations")) found.loop_s = time_s * run.number("iterations", 0);
    all.emplace(name, found);
  }
  return all;
}

/// Returns the control bits of MXCSR from a program's context, "mxcsr": "0x1f80"; empty if it has none. Throws:
/// ridgepoint::data_error if it is not a result of Google Benchmark.
inline std::optional<std::uint32_t> read_mxcsr(const std::string& text, const std::string& source) {
  namespace rp = ridgepoint;
  const rp::study::google_benchmark_document file = rp::study::parse_google_benchmark(text, source);
  const rp::json_reader in(file.document, source + ": ");
  if (!in.has("context") || !in.object("context").has("mxcsr")) return std::nullopt;
  return mxcsr_of(in.object("context").scalar("mxcsr"));
}

}  // namespace measurement

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/input_file.hpp>
#include <ridgepoint/study/measured/flags_json.hpp>
#include <ridgepoint/study/measured/google_benchmark_json.hpp>
#include <ridgepoint/study/measured/roofline_json.hpp>
#include <ridgepoint/study/measured/versus_json.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// The text of a file of results, of any format that is known here. `metric` is what is read of Google Benchmark's;
/// ours have the one. `source` is named in messages.
/// Throws: data_error if it is none of them or has no row; the message names the place in the text.
[[nodiscard]] inline measured_set read_measured(const std::string& text, const std::string& source,
                                                const std::string& metric = "real_time") {
  const google_benchmark_document file = parse_google_benchmark(text, source);
  const json_reader in(file.document, source + ": ");
  require<data_error>(
      in.has("schema") || in.has("benchmarks"), source,
      ": has neither schema nor benchmarks; must be what Google Benchmark, ridgepoint versus, ridgepoint "
      "flags or ridgepoint roofline writes");
  const std::string schema = in.has("schema") ? in.text("schema") : "";
  require<data_error>(schema.empty() || metric == "real_time", source, ": is of schema ", schema,
                      ", which has one metric, but ", metric, " is asked for; must be Google Benchmark's");
  measured_set set;
  if (schema.empty()) set = google_benchmark_set(file, source, metric);
  else if (schema == "ridgepoint.versus") set = versus_set(in);
  else if (schema == "ridgepoint.flags") set = flags_set(in);
  else if (schema == "ridgepoint.roofline") set = roofline_set(in);
  else
    throw data_error(concat(in.path("schema"), " is ", schema,
                            "; must be ridgepoint.versus, ridgepoint.flags or ridgepoint.roofline"));
  require<data_error>(!set.rows.empty(), source, ": has no rows; must have at least 1");
  set.source = source;
  return set;
}

/// A file of results of at most 32 MiB. Throws: data_error if it cannot be read, and as read_measured().
/// Example: load_measured("before.json").rows[0].samples
[[nodiscard]] inline measured_set load_measured(const std::string& path, const std::string& metric = "real_time") {
  return read_measured(read_file(path, 32 << 20), path, metric);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

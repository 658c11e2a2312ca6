// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>

#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/study/measured/circumstances_json.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

namespace detail {

/// The text with null in place of NaN, Infinity and -Infinity outside of strings. Google Benchmark writes counters that
/// are not finite so, which is no JSON.
[[nodiscard]] inline std::string with_null_for_not_finite(std::string_view text) {
  std::string json_text;
  json_text.reserve(text.size());
  bool in_string = false;
  while (!text.empty()) {
    std::size_t taken = 1;
    std::string_view written;
    if (in_string && text[0] == '\\') {
      taken = std::min<std::size_t>(2, text.size());
    } else if (text[0] == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      for (const std::string_view word : {"NaN", "Infinity", "-Infinity"})
        if (text.starts_with(word)) taken = word.size(), written = "null";
    }
    json_text += written.empty() ? text.substr(0, taken) : written;
    text.remove_prefix(taken);
  }
  return json_text;
}

/// "L1 32 KiB, L1 32 KiB, L2 1 MiB": tells machines of one name apart.
[[nodiscard]] inline std::string caches_text(const json_reader& context) {
  std::string text;
  for (const json_reader& cache : context.objects("caches"))
    text += concat(text.empty() ? "L" : ", L", cache.count("level", 9), ' ', capacity(cache.count("size")));
  return text;
}

/// Seconds of a unit. Throws: data_error if there is no such unit.
[[nodiscard]] inline double seconds_of_unit(const json_reader& run) {
  const std::string unit = run.text("time_unit");
  for (const auto& [name, seconds] : {std::pair{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}})
    if (unit == name) return seconds;
  throw data_error(concat(run.path("time_unit"), " is ", unit, "; must be ns, us, ms or s"));
}

/// What a metric is counted in: seconds for times, else what its name says.
[[nodiscard]] inline std::string unit_of(const std::string& metric) {
  if (metric == "real_time" || metric == "cpu_time") return "s";
  if (metric == "bytes_per_second" || metric == "bytes_per_s") return "B/s";
  if (metric == "items_per_second") return "items/s";
  if (metric == "flop_per_s") return "FLOP/s";
  return "";
}

/// Puts together what a file has of each benchmark: a sample of every repetition.
class google_benchmark_rows {
 public:
  google_benchmark_rows(measured_set& set, std::string metric) : set_(set), metric_(std::move(metric)) {}

  void add(const json_reader& run) {
    const std::string kind = run.has("run_type") ? run.text("run_type") : "iteration";
    if (kind == "iteration") return add_repetition(run);
    require<data_error>(kind == "aggregate", run.path("run_type"), " is ", kind, "; must be iteration or aggregate");
    if (run.text("aggregate_name") != "median") return;
    measured_row& row = row_of(run);
    if (row.samples.empty() && row.doubt.empty()) add_sample(row, run);  // else its repetitions came before
  }

 private:
  static constexpr std::size_t longest_name = 65'536;  // of templates

  void add_repetition(const json_reader& run) {
    measured_row& row = row_of(run);
    const auto family = [&](const char* key) { return run.has(key) ? run.count(key) : 0; };
    const std::array<std::uint64_t, 2> instance{family("family_index"), family("per_family_instance_index")};
    if (instances_.emplace(row.name, instance).first->second != instance) row.doubt = "two benchmarks have this name";
    if (run.has("error_occurred")) row.doubt = "failed: " + run.text("error_message", longest_name);
    if (run.has("skipped")) row.doubt = "skipped: " + run.text("skip_message", longest_name);
    add_sample(row, run);
  }
  measured_row& row_of(const json_reader& run) {
    const std::string name = run.text(run.has("run_name") ? "run_name" : "name", longest_name);
    const auto [place, is_new] = at_.emplace(name, set_.rows.size());
    const std::string unit = unit_of(metric_);
    if (is_new)
      set_.rows.push_back(
          {.name = name, .unit = unit, .better = unit == "s" ? better::less : better::more, .doubt = {}});
    return set_.rows[place->second];
  }
  /// A row that lacks the metric is doubted; one that failed has a time of 0.
  void add_sample(measured_row& row, const json_reader& run) const {
    const double unit = row.better == better::less ? seconds_of_unit(run) : 1;
    const std::optional<double> sample = run.optional_number(metric_.c_str(), 0);
    if (sample) row.samples.push_back(*sample * unit);
    else if (row.doubt.empty())
      row.doubt = concat(metric_, run.has(metric_.c_str()) ? " is not finite" : " is missing");
  }

  measured_set& set_;
  std::string metric_;
  std::map<std::string, std::size_t> at_;
  std::map<std::string, std::array<std::uint64_t, 2>> instances_;
};

}  // namespace detail

/// Results of a program with Google Benchmark, 1.7 to 1.9, as --benchmark_out writes them. `metric`: real_time,
/// cpu_time, or a counter, of which more is better. Repetitions are the samples; where there are only aggregates their
/// median is the one sample. A benchmark that failed is a row with a doubt.
/// Throws: data_error naming what is wrong.
[[nodiscard]] inline measured_set google_benchmark_set(const json_reader& in, const std::string& metric = "real_time") {
  measured_set set{.format = "Google Benchmark"};
  if (in.has("context")) {
    const json_reader context = in.object("context");
    detail::add_circumstances(set, context);
    if (context.has("caches")) set.circumstances["caches"] = detail::caches_text(context);
  }
  detail::google_benchmark_rows rows(set, metric);
  for (const json_reader& run : in.objects("benchmarks")) rows.add(run);
  return set;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

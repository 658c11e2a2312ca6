// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/strict_json.hpp>
#include <ridgepoint/study/comparison.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study::detail {

/// Keys of results that must agree where two of them report the key: the machine, the build, the number of threads.
/// Google Benchmark has the first three and `library_build_type`, and those set with --benchmark_context.
inline constexpr const char* telling_keys[] = {"host_name",
                                               "num_cpus",
                                               "cpu_model",
                                               "cores_allowed",
                                               "library_build_type",
                                               "compiler",
                                               "flags",
                                               "compiler_flags",
                                               "isa",
                                               "debug_build",
                                               "fast_math",
                                               "flush_to_zero",
                                               "denormals_are_zero",
                                               "backend",
                                               "dtype",
                                               "threads",
                                               "variable.OMP_NUM_THREADS",
                                               "variable.RIDGEPOINT_CACHES",
                                               "variable.RIDGEPOINT_ISA"};

inline void add_circumstances(measured_set& to, const json_reader& from) {
  for (const char* key : telling_keys)
    if (from.has(key)) to.circumstances[key] = from.scalar(key);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study::detail

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Reads results of `ridgepoint flags --json`: a row for every benchmark and set of flags, "scale avx2+fma", with one
/// sample per round. The contents of the sets are among the circumstances. Throws: data_error that names the problem.
[[nodiscard]] inline measured_set flags_set(const json_reader& in) {
  static constexpr std::size_t longest_text = 65'536;  // of flags, and of templates
  in.require_schema("ridgepoint.flags");
  measured_set set{.format = "ridgepoint flags"};
  const json_reader circumstances = in.object("circumstances");
  for (const std::string& name : circumstances.keys())
    set.circumstances[name] = circumstances.text(name.c_str(), longest_text);
  for (const json_reader& row : in.objects("rows")) {
    const std::string stated = row.text("better");
    require<data_error>(stated == "less" || stated == "more", row.path("better"), " is ", stated,
                        "; must be less or more");
    set.rows.push_back({.name = concat(row.text("name", longest_text), ' ', row.text("set")),
                        .samples = row.numbers("samples", 0),
                        .unit = row.text("unit"),
                        .better = stated == "less" ? better::less : better::more});
  }
  distinguish(set.rows);
  return set;
}

namespace detail {

/// Replaces NaN, Infinity and -Infinity outside of strings by null. Google Benchmark writes them for counters that are
/// not finite, which is invalid JSON.
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

/// Parts of a Google Benchmark file that are parsed separately, so that an invalid one does not affect the others: a
/// user may name a counter like an existing key, and labels contain unescaped control characters.
struct google_benchmark_parts {
  std::string rest;                    // with an empty context, and no benchmark
  std::string_view context;            // with its braces
  std::vector<std::string_view> rows;  // benchmarks
};
[[nodiscard]] inline google_benchmark_parts split_google_benchmark(std::string_view text) {
  google_benchmark_parts parts;
  std::string_view key;
  std::size_t string_begin = 0, begin = 0, copied = 0;
  int depth = 0;
  bool in_string = false, in_rows = false, in_context = false;
  const auto cut = [&](std::size_t from, std::size_t to) {
    parts.rest += text.substr(copied, from - copied);
    copied = to;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      else if (c == '"') in_string = false, key = depth == 1 ? text.substr(string_begin, i - string_begin) : key;
    } else if (c == '"') {
      in_string = true, string_begin = i + 1;
    } else if (c == '{' || c == '[') {
      if (++depth != 2) continue;
      in_rows = c == '[' && key == "benchmarks", in_context = c == '{' && key == "context";
      begin = i + 1;
      if (in_rows) cut(begin, begin);
    } else if (c == ',' && depth == 2 && in_rows) {
      parts.rows.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    } else if ((c == '}' || c == ']') && depth-- == 2) {
      const std::string_view last = text.substr(begin, i - begin);
      const bool is_row = !parts.rows.empty() || last.find_first_not_of(" \t\r\n") != last.npos;
      if (in_rows && is_row) parts.rows.push_back(last);
      if (in_context) parts.context = text.substr(begin - 1, i + 2 - begin), cut(begin, i);
      if (in_rows) copied = i;
      in_rows = in_context = false;
    }
  }
  cut(text.size(), text.size());
  return parts;
}

/// Name in the text of a benchmark with invalid JSON, printable; its number if it has no name.
[[nodiscard]] inline std::string name_in(std::string_view row, std::size_t number) {
  for (const std::string_view key : {"\"run_name\"", "\"name\""}) {
    const std::size_t at = row.find(key);
    if (at == row.npos) continue;
    const std::size_t open = row.find_first_not_of(" \t\r\n:", at + key.size());
    if (open == row.npos || row[open] != '"') continue;
    std::size_t close = open + 1;
    while (close < row.size() && row[close] != '"') close += row[close] == '\\' ? 2U : 1U;
    if (close >= row.size()) continue;
    const json parsed = json::parse(row.substr(open, close + 1 - open), nullptr, false);
    return parsed.is_string() ? parsed.get<std::string>() : printable(row.substr(open + 1, close - open - 1));
  }
  return concat("benchmark ", number);
}

/// "L1 32 KiB, L1 32 KiB, L2 1 MiB": distinguishes machines of one name.
[[nodiscard]] inline std::string caches_text(const json_reader& context) {
  std::string text;
  for (const json_reader& cache : context.objects("caches"))
    text += concat(text.empty() ? "L" : ", L", cache.count("level", 9), ' ', capacity(cache.count("size")));
  return text;
}

/// Seconds per unit. Throws: data_error for an unknown unit.
[[nodiscard]] inline double seconds_of_unit(const json_reader& run) {
  const std::string unit = run.text("time_unit");
  for (const auto& [name, seconds] : {std::pair{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}})
    if (unit == name) return seconds;
  throw data_error(concat(run.path("time_unit"), " is ", unit, "; must be ns, us, ms or s"));
}

/// Unit of a metric: seconds for times, else the metric's name.
[[nodiscard]] inline std::string unit_of(const std::string& metric) {
  if (metric == "real_time" || metric == "cpu_time") return "s";
  if (metric == "bytes_per_second" || metric == "bytes_per_s") return "B/s";
  if (metric == "items_per_second") return "items/s";
  if (metric == "flop_per_s") return "FLOP/s";
  return "";
}

/// Collects the rows of a file: one sample per repetition of each benchmark.
class google_benchmark_rows {
 public:
  google_benchmark_rows(measured_set& set, std::string metric) : set_(set), metric_(std::move(metric)) {}

  void add_unreadable(const measured_row& lost) { row_named(lost.name).doubt = lost.doubt; }
  void add(const json_reader& run) {
    const std::string kind = run.has("run_type") ? run.text("run_type") : "iteration";
    if (kind == "iteration") return add_repetition(run);
    require<data_error>(kind == "aggregate", run.path("run_type"), " is ", kind, "; must be iteration or aggregate");
    if (run.text("aggregate_name") != "median") return;
    measured_row& row = row_of(run);
    if (row.samples.empty() && row.doubt.empty()) add_sample(row, run);  // else its repetitions came first
  }

 private:
  static constexpr std::size_t longest_name = 65'536;  // of templates

  void add_repetition(const json_reader& run) {
    measured_row& row = row_of(run);
    const auto family = [&](const char* key) { return run.has(key) ? run.count(key) : 0; };
    const std::array<std::uint64_t, 2> instance{family("family_index"), family("per_family_instance_index")};
    if (instances_.emplace(row.name, instance).first->second != instance) row.doubt = "two benchmarks have this name";
    if (is_set(run, "error_occurred")) row.doubt = "failed: " + message(run, "error_message");
    if (is_set(run, "skipped")) row.doubt = "skipped: " + message(run, "skip_message");
    add_sample(row, run);
  }
  /// True if the key is true; a counter of this name is a number.
  [[nodiscard]] static bool is_set(const json_reader& run, const char* key) {
    return run.has(key) && run.scalar(key) == "true";
  }
  [[nodiscard]] static std::string message(const json_reader& run, const char* key) {
    return run.has(key) ? run.text(key, longest_name) : "without a message";
  }
  measured_row& row_of(const json_reader& run) {
    return row_named(run.text(run.has("run_name") ? "run_name" : "name", longest_name));
  }
  measured_row& row_named(const std::string& name) {
    const auto [place, is_new] = at_.emplace(name, set_.rows.size());
    const std::string unit = unit_of(metric_);
    if (is_new)
      set_.rows.push_back(
          {.name = name, .unit = unit, .better = unit == "s" ? better::less : better::more, .doubt = {}});
    return set_.rows[place->second];
  }
  /// Adds a sample; a row without the metric gets a doubt; a failed one has a time of 0.
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

/// A Google Benchmark file. A benchmark or context with invalid JSON is an empty object in the document.
struct google_benchmark_document {
  json document;
  std::map<std::size_t, measured_row> unreadable = {};  // benchmarks by position: name, and the reason as doubt
  std::string context_doubt = {};                       // empty: it is readable
};
/// Throws: data_error, naming the source, if anything but single benchmarks or the context is invalid JSON.
[[nodiscard]] inline google_benchmark_document parse_google_benchmark(std::string_view text,
                                                                      const std::string& source) {
  const std::string json_text = detail::with_null_for_not_finite(text);
  const detail::google_benchmark_parts parts = detail::split_google_benchmark(json_text);
  google_benchmark_document made{.document = parse_strict(parts.rest, source)};
  const auto parse = [](std::string_view part, std::string& doubt) {
    try {
      return parse_strict(std::string(part), "unreadable");
    } catch (const data_error& wrong) {
      doubt = wrong.what();
      return json::object();
    }
  };
  if (!made.document.is_object()) return made;
  if (!parts.context.empty()) made.document["context"] = parse(parts.context, made.context_doubt);
  for (std::size_t i = 0; i < parts.rows.size(); ++i) {
    std::string doubt;
    made.document["benchmarks"].push_back(parse(parts.rows[i], doubt));
    if (!doubt.empty()) made.unreadable[i] = {.name = detail::name_in(parts.rows[i], i + 1), .doubt = std::move(doubt)};
  }
  return made;
}

/// Reads the --benchmark_out file of a program with Google Benchmark, 1.7 to 1.9. `metric`: real_time, cpu_time, or a
/// counter, for which more is better. Repetitions are the samples; with aggregates only, their median is the one
/// sample. A benchmark that failed, or whose JSON is invalid, is a row with a doubt.
/// Throws: data_error that starts with `source` and names the problem.
[[nodiscard]] inline measured_set google_benchmark_set(const google_benchmark_document& file, const std::string& source,
                                                       const std::string& metric = "real_time") {
  const json_reader in(file.document, source + ": ");
  measured_set set{.format = "Google Benchmark"};
  if (!file.context_doubt.empty()) set.circumstances["context"] = file.context_doubt;
  if (in.has("context")) {
    const json_reader context = in.object("context");
    detail::add_circumstances(set, context);
    if (context.has("caches")) set.circumstances["caches"] = detail::caches_text(context);
  }
  detail::google_benchmark_rows rows(set, metric);
  const std::vector<json_reader> runs = in.objects("benchmarks");
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (const auto lost = file.unreadable.find(i); lost == file.unreadable.end()) rows.add(runs[i]);
    else rows.add_unreadable(lost->second);
  return set;
}

/// Reads results of `ridgepoint roofline`: a row for every op of a step, and the row `step`. Each is one sample, the
/// median over the steps: several files make a set that can be judged, see set_of_runs().
/// Throws: data_error that names the problem.
[[nodiscard]] inline measured_set roofline_set(const json_reader& in) {
  in.require_schema("ridgepoint.roofline");
  measured_set set{.format = "ridgepoint roofline"};
  const json_reader run = in.object("profile");
  detail::add_circumstances(set, run);
  if (in.has("environment")) detail::add_circumstances(set, in.object("environment"));
  for (const json_reader& row : run.objects("rows"))
    set.rows.push_back({.name = concat(row.text("layer"), ' ', row.text("pass"), ' ', row.text("shape")),
                        .samples = {row.number("elapsed_s", 0)}});
  set.rows.push_back({.name = "step", .samples = {run.number("step_s", 0)}});
  distinguish(set.rows);
  return set;
}

namespace detail {

/// Adds the implementations of a row, for operands of one shape: "64x64x64 openblas". Windows are seconds per call; a
/// file without windows has only the best rate.
inline void add_standing(measured_set& to, const json_reader& at, const std::string& shape, const std::string& unit) {
  const json_reader rates = at.object("rates");
  for (const std::string& implementation : rates.keys()) {
    measured_row row{.name = concat(shape, ' ', implementation)};
    const char* const name = implementation.c_str();
    if (at.has("windows_s") && at.object("windows_s").has(name)) {
      row.samples = at.object("windows_s").numbers(name, 0);
    } else if (at.has("steps") && at.object("steps").has(name)) {
      row.samples = at.object("steps").object(name).numbers("seconds", 0);
    } else {
      row.samples = {rates.number(name, 0)};
      row.unit = unit, row.better = better::more;
    }
    to.rows.push_back(std::move(row));
  }
}

}  // namespace detail

/// Reads results of `ridgepoint bench --json`: a row for every shape and implementation, with the time per call in
/// each window as samples. Throws: data_error that names the problem.
[[nodiscard]] inline measured_set versus_set(const json_reader& in) {
  in.require_schema("ridgepoint.versus", 2);
  measured_set set{.format = "ridgepoint bench"};
  detail::add_circumstances(set, in);
  if (in.has("environment")) detail::add_circumstances(set, in.object("environment"));
  const std::string unit = in.text("unit");
  const std::string what = concat(in.text("what"), ' ', in.text("type"), ' ',
                                  in.has("transpose") ? in.text("transpose") + ' ' : std::string());
  for (const json_reader& row : in.objects("rows")) {
    const std::string shape = what + row.text("shape");
    detail::add_standing(set, row, shape, unit);
    if (row.has("packed")) detail::add_standing(set, row.object("packed"), shape + " packed", unit);
  }
  distinguish(set.rows);
  return set;
}

/// Reads the text of a results file in any supported format. `metric` selects a metric of Google Benchmark; this
/// project's formats have only one. `source` is named in messages.
/// Throws: data_error for an unknown format or a file without rows; the message names the position in the text.
[[nodiscard]] inline measured_set read_measured(const std::string& text, const std::string& source,
                                                const std::string& metric = "real_time") {
  const google_benchmark_document file = parse_google_benchmark(text, source);
  const json_reader in(file.document, source + ": ");
  require<data_error>(
      in.has("schema") || in.has("benchmarks"), source,
      ": has neither schema nor benchmarks; must be output of Google Benchmark, ridgepoint bench, ridgepoint "
      "flags or ridgepoint roofline");
  const std::string schema = in.has("schema") ? in.text("schema") : "";
  require<data_error>(schema.empty() || metric == "real_time", source, ": is of schema ", schema,
                      ", which has one metric, but ", metric, " is requested; must be Google Benchmark's");
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

/// Loads a results file of up to 32 MiB. Throws: data_error if it cannot be read, and as read_measured().
/// Example: load_measured("before.json").rows[0].samples
[[nodiscard]] inline measured_set load_measured(const std::string& path, const std::string& metric = "real_time") {
  return read_measured(read_file(path, 32 << 20), path, metric);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

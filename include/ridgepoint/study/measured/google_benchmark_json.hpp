// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

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

/// The parts of a file of Google Benchmark that are read by themselves, so that one that is not JSON leaves the others:
/// a user may name a counter as a key that is there already, and labels have control characters as they are.
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

/// The name in the text of a benchmark that is not JSON, printable; its number where it has none.
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

  void add_unreadable(const measured_row& lost) { row_named(lost.name).doubt = lost.doubt; }
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
    if (is_set(run, "error_occurred")) row.doubt = "failed: " + message(run, "error_message");
    if (is_set(run, "skipped")) row.doubt = "skipped: " + message(run, "skip_message");
    add_sample(row, run);
  }
  /// Whether it is true; a counter of this name is a number.
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

/// A file of Google Benchmark. A benchmark, or the context, that is not JSON is an empty object in the document.
struct google_benchmark_document {
  json document;
  std::map<std::size_t, measured_row> unreadable = {};  // benchmarks by position: name, and the reason as doubt
  std::string context_doubt = {};                       // empty: it is readable
};
/// Throws: data_error, naming the source, if more than single benchmarks or the context is not JSON.
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

/// Results of a program with Google Benchmark, 1.7 to 1.9, as --benchmark_out writes them. `metric`: real_time,
/// cpu_time, or a counter, of which more is better. Repetitions are the samples; where there are only aggregates their
/// median is the one sample. A benchmark that failed, or that is not JSON, is a row with a doubt.
/// Throws: data_error naming what is wrong, which begins with `source`.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

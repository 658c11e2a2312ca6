// SPDX-License-Identifier: MIT
#include "flags_rounds.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include <ridgepoint/core/input_file.hpp>
#include <ridgepoint/core/random.hpp>
#include <ridgepoint/study/measured/load_json.hpp>

#include "bounded_process.hpp"
#include "interruption.hpp"
#include "measurement/flags/exact_filter.hpp"
#include "measurement/flags/findings_json.hpp"
#include "measurement/flags/unsettled.hpp"
#include "temporary_folder.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

/// Why a program has no result.
struct run_failure : rp::error {
  using rp::error::error;
};

/// What the program of a run sees: a variable of random size moves its stack.
std::vector<std::string> environment_of_random_size(rp::random_stream& random, telling what) {
  std::vector<std::string> variables = benchmark_environment(what);
  variables.push_back("LAYOUT_PADDING=" + std::string(random.below(4096), 'x'));
  return variables;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const std::size_t before = text.rfind('\n', end);
  return text.substr(before + 1, end - before);
}

/// What one run of a program told.
struct run_result {
  study::measured_set measured;
  std::map<std::string, measurement::row_findings> findings = {};
  std::optional<std::uint32_t> mxcsr = {};
};

/// Throws: run_failure if no benchmark has what is to be taken.
void must_have_samples(const study::measured_set& run, const std::string& metric) {
  if (std::ranges::all_of(run.rows, [](const study::measured_row& row) { return row.samples.empty(); }))
    throw run_failure(rp::concat("no benchmark has ", metric,
                                 " as a finite number; --metric must be real_time, cpu_time or a counter"));
}

/// One run of a program; nothing if it was interrupted. Throws: run_failure.
std::optional<run_result> run_once(const std::filesystem::path& program, const std::string& result, telling what,
                                   int repetitions, const std::string& filter, const flags_rounds_options& options,
                                   rp::random_stream& random) {
  const double repetition_s = options.benchmark_s / flags_rounds_options::most_repetitions;
  std::vector<std::string> command{program.string(), "--benchmark_out=" + result, "--benchmark_out_format=json",
                                   rp::concat("--benchmark_min_time=", repetition_s),
                                   rp::concat("--benchmark_repetitions=", repetitions)};
  if (!filter.empty()) command.push_back("--benchmark_filter=" + filter);
  const process_limits limits{.seconds = options.limit_s, .core = options.core};
  std::error_code ignored;
  std::filesystem::remove_all(result, ignored);
  const process_end end = run_bounded(command, environment_of_random_size(random, what), limits);
  if (end.how == process_end::kind::interrupted) return std::nullopt;
  const std::string said = last_line(end.complained);
  if (!end.well()) throw run_failure(end.text(limits) + (said.empty() ? "" : ": " + said));
  try {
    const std::string text = rp::read_file(result, 32 << 20);
    run_result told{.measured = study::read_measured(text, program.string(), options.metric)};
    must_have_samples(told.measured, options.metric);
    measurement::keep_best_repetitions(told.measured);
    if (what == telling::all) {
      told.findings = measurement::read_findings(text, program.string());
      told.mxcsr = measurement::read_mxcsr(text, program.string());
    }
    return told;
  } catch (const rp::data_error& e) {
    const bool is_written = std::filesystem::exists(result, ignored) && !std::filesystem::is_empty(result, ignored);
    throw run_failure(is_written ? e.what() : "has no result" + (said.empty() ? "" : ": " + said));
  }
}

/// Which benchmarks the next round is for, as a filter.
class round_filter {
 public:
  explicit round_filter(std::string to_all) : to_all_(std::move(to_all)), text_(to_all_) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool is_narrow() const { return text_ != to_all_; }
  void narrow_to(const std::vector<std::string>& names) {
    constexpr std::size_t most_bytes = 32'000;
    if (!is_possible_) return;
    text_ = measurement::exact_expression(names);
    if (text_.size() > most_bytes) give_up();
  }
  /// For all benchmarks again, and from now on.
  void give_up() { is_possible_ = false, text_ = to_all_; }

 private:
  std::string to_all_, text_;
  bool is_possible_ = true;
};

/// Whether a contender's last round has all of these names that its first one had.
bool has_all(const flags_contender& c, const std::vector<std::string>& names) {
  const auto names_in = [&](const study::measured_set& round) {
    return std::ranges::count_if(
        round.rows, [&](const study::measured_row& row) { return std::ranges::find(names, row.name) != names.end(); });
  };
  return !c.measured.failure.empty() || names_in(c.measured.rounds.back()) == names_in(c.measured.rounds.front());
}

/// As many as make a run at most half as long again as benchmark_s of each benchmark do, or as one iteration of those
/// that take longer. `found` is of one repetition.
int affordable_repetitions(const std::map<std::string, measurement::row_findings>& found, double benchmark_s) {
  double once_s = 0, wanted_s = 0;
  for (const auto& [name, row] : found) once_s += row.loop_s, wanted_s += std::max(row.loop_s, benchmark_s);
  constexpr int most = flags_rounds_options::most_repetitions;
  return 1.5 * wanted_s < most * once_s ? std::max(1, static_cast<int>(1.5 * wanted_s / once_s)) : most;
}

/// What was asked for, or else what so many rows need.
int least_rounds(const std::vector<flags_contender>& field, const flags_rounds_options& options) {
  if (options.least > 0) return options.least;
  std::size_t rows = 0;
  for (const flags_contender& c : std::span(field).subspan(1))
    if (c.measured.failure.empty()) rows += c.measured.rounds.at(0).rows.size();
  const std::size_t needed = measurement::enough_rounds(rows, options.judging.bootstrap.confidence);
  return std::max(flags_rounds_options::usual_least, static_cast<int>(needed));
}

void forget_rounds_after(std::size_t whole_rounds, std::vector<flags_contender>& field) {
  for (flags_contender& c : field)
    if (c.measured.rounds.size() > whole_rounds) c.measured.rounds.pop_back();
}

}  // namespace

std::vector<std::string> benchmark_environment(telling what) {
  std::vector<std::string> variables = own_environment();
  std::erase_if(variables, [](const std::string& variable) {
    return variable.starts_with("BENCHMARK_") || variable.starts_with("RIDGEPOINT_FLAGS=");
  });
  if (what == telling::time) variables.emplace_back("RIDGEPOINT_FLAGS=time");
  return variables;
}

std::vector<measurement::flags_row> judged_rows(const std::vector<flags_contender>& field,
                                                const study::comparison_options& judging) {
  std::vector<measurement::set_rounds> others;
  others.reserve(field.size());
  for (const flags_contender& c : std::span(field).subspan(1)) others.push_back(c.measured);
  return measurement::judged_rows(field[0].measured, others, judging);
}

flags_end take_rounds(std::vector<flags_contender>& field, const flags_rounds_options& options) {
  const temporary_folder folder;
  const std::string result = (folder.path() / "result.json").string();
  const auto start = std::chrono::steady_clock::now();
  const auto time_over = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > options.most_s;
  };
  rp::random_stream random(options.seed);
  std::vector<std::size_t> order(field.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  int repetitions = 1;
  round_filter filter(options.filter);
  std::vector<std::string> left;  // what is not settled
  constexpr int most_rounds = 1000;
  for (int round = 0; round <= most_rounds; ++round) {
    const bool asks = round == 0;
    const std::size_t whole_rounds = field[0].measured.rounds.size();
    bool is_whole = true;
    for (std::size_t rest = order.size(); rest > 1; --rest)
      std::swap(order[rest - 1], order[random.below(static_cast<std::uint32_t>(rest))]);
    for (std::size_t run = 0; run < order.size() && is_whole; ++run) {
      flags_contender& c = field[order[run]];
      if (!c.measured.failure.empty()) continue;
      options.progress(round, run);
      try {
        const std::filesystem::path& program = c.programs[(c.first + whole_rounds) % c.programs.size()];
        const telling what = asks ? telling::all : telling::time;
        if (auto told = run_once(program, result, what, repetitions, filter.text(), options, random)) {
          if (asks) c.measured.findings = std::move(told->findings), c.mxcsr = told->mxcsr;
          else c.measured.rounds.push_back(std::move(told->measured));
        }
      } catch (const run_failure& e) {
        is_whole = !filter.is_narrow();
        if (!is_whole) continue;
        rp::require<rp::backend_error>(order[run] != 0, "flags: the base, ", c.measured.set, ": ", e.what());
        c.measured.failure = e.what();
      }
      if (interruption::wanted()) {
        forget_rounds_after(whole_rounds, field);
        return flags_end::interrupted;
      }
    }
    if (asks) repetitions = affordable_repetitions(field[0].measured.findings, options.benchmark_s);
    if (filter.is_narrow() &&
        !(is_whole && std::ranges::all_of(field, [&](const flags_contender& c) { return has_all(c, left); }))) {
      forget_rounds_after(whole_rounds, field);
      filter.give_up();
    }
    if (asks || round < least_rounds(field, options)) continue;
    left = measurement::unsettled(judged_rows(field, options.judging), field[0].measured.rounds.size(),
                                  options.judging.bootstrap.confidence);
    if (left.empty()) return flags_end::narrow;
    if (time_over()) break;
    if (left.size() < field[0].measured.rounds.front().rows.size()) filter.narrow_to(left);
  }
  return flags_end::time_over;
}

}  // namespace tool

// SPDX-License-Identifier: MIT
#include "flags_rounds.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include <ridgepoint/core/files.hpp>
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

/// The reason why a program has no result.
struct run_failure : rp::error {
  using rp::error::error;
};

/// Returns the environment of a run: a variable of random size moves the program's stack.
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

/// The result of one run of a program.
struct run_result {
  study::measured_set measured;
  std::map<std::string, measurement::row_findings> findings = {};
  std::optional<std::uint32_t> mxcsr = {};
};

/// Throws: run_failure with the first row's reason, if no benchmark has the metric.
void must_have_samples(const study::measured_set& run, const std::string& metric) {
  if (std::ranges::any_of(run.rows, [](const study::measured_row& row) { return !row.samples.empty(); })) return;
  const auto first = std::ranges::find_if(run.rows, [](const study::measured_row& row) { return !row.doubt.empty(); });
  throw run_failure(rp::concat("no benchmark has ", metric,
                               " as a finite number; --metric must be real_time, cpu_time or a counter",
                               first == run.rows.end() ? "" : rp::concat(" (", first->name, ": ", first->doubt, ')')));
}

/// Runs a program once; nullopt if interrupted. Throws: run_failure.
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
    run_result run{.measured = study::read_measured(text, program.string(), options.metric)};
    must_have_samples(run.measured, options.metric);
    measurement::keep_best_repetitions(run.measured);
    if (what == telling::all) {
      run.findings = measurement::read_findings(text, program.string());
      run.mxcsr = measurement::read_mxcsr(text, program.string());
    }
    return run;
  } catch (const rp::data_error& e) {
    const bool is_written = std::filesystem::exists(result, ignored) && !std::filesystem::is_empty(result, ignored);
    throw run_failure(is_written ? e.what() : "has no result" + (said.empty() ? "" : ": " + said));
  }
}

/// Selects the benchmarks of the next round, as a filter.
class round_filter {
 public:
  explicit round_filter(std::string to_all) : to_all_(std::move(to_all)), text_(to_all_) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool is_narrow() const { return !names_.empty(); }
  void narrow_to(std::vector<std::string> names) {
    constexpr std::size_t most_bytes = 32'000;
    if (!is_possible_) return;
    names_ = std::move(names);
    text_ = measurement::exact_expression(names_);
    if (text_.size() > most_bytes) give_up();
  }
  /// Runs all benchmarks again, from now on.
  void give_up() { is_possible_ = false, names_.clear(), text_ = to_all_; }

  /// Returns true if every contender's last round has all names that its first one had.
  [[nodiscard]] bool is_heeded(const std::vector<flags_contender>& field) const {
    const auto names_in = [&](const study::measured_set& round) {
      return std::ranges::count_if(round.rows, [&](const study::measured_row& row) {
        return std::ranges::find(names_, row.name) != names_.end();
      });
    };
    return std::ranges::all_of(field, [&](const flags_contender& c) {
      return !c.measured.failure.empty() || names_in(c.measured.rounds.back()) == names_in(c.measured.rounds.front());
    });
  }
  /// Returns the names the last round of the base changed, if it ran no others; empty: all.
  [[nodiscard]] std::vector<std::string> measured_alone(const flags_contender& base) const {
    return base.measured.rounds.back().rows.size() == names_.size() ? names_ : std::vector<std::string>();
  }

 private:
  std::string to_all_, text_;
  std::vector<std::string> names_;  // none: all
  bool is_possible_ = true;
};

/// Returns the largest number of repetitions that makes a run at most 1.5 times as long as benchmark_s per benchmark,
/// or one iteration of slower ones. `found` is of one repetition.
int affordable_repetitions(const std::map<std::string, measurement::row_findings>& found, double benchmark_s) {
  double once_s = 0, wanted_s = 0;
  for (const auto& [name, row] : found) once_s += row.loop_s, wanted_s += std::max(row.loop_s, benchmark_s);
  constexpr int most = flags_rounds_options::most_repetitions;
  return 1.5 * wanted_s < most * once_s ? std::max(1, static_cast<int>(1.5 * wanted_s / once_s)) : most;
}

/// Returns the requested number of rounds, or the number that the rows need.
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

/// How a round ended; a program may reject a narrow filter.
enum class round_end { whole, refused, interrupted };

/// Runs rounds: round 0 collects the numerical checks, the others the times.
class round_runner {
 public:
  round_runner(const flags_rounds_options& options, std::string result, std::size_t contenders)
      : options_(options), result_(std::move(result)), random_(options.seed), order_(contenders) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  /// Throws: ridgepoint::backend_error if the base fails.
  round_end run(int round, const round_filter& filter, std::vector<flags_contender>& field) {
    const telling what = round == 0 ? telling::all : telling::time;
    const std::size_t whole_rounds = field[0].measured.rounds.size();
    for (std::size_t left = order_.size(); left > 1; --left)
      std::swap(order_[left - 1], order_[random_.below(static_cast<std::uint32_t>(left))]);
    for (std::size_t run = 0; run < order_.size(); ++run) {
      flags_contender& c = field[order_[run]];
      if (!c.measured.failure.empty()) continue;
      options_.progress(round, run);
      try {
        const std::filesystem::path& program = c.programs[(c.first + whole_rounds) % c.programs.size()];
        if (auto last = run_once(program, result_, what, repetitions_, filter.text(), options_, random_)) {
          if (what == telling::all) c.measured.findings = std::move(last->findings), c.mxcsr = last->mxcsr;
          else c.measured.rounds.push_back(std::move(last->measured));
        }
      } catch (const run_failure& e) {
        if (filter.is_narrow()) return round_end::refused;
        rp::require<rp::backend_error>(order_[run] != 0, "flags: the base, ", c.measured.set, ": ", e.what());
        c.measured.failure = e.what();
      }
      if (interruption::wanted()) return round_end::interrupted;
    }
    if (what == telling::all) repetitions_ = affordable_repetitions(field[0].measured.findings, options_.benchmark_s);
    return round_end::whole;
  }

 private:
  const flags_rounds_options& options_;
  std::string result_;
  rp::random_stream random_;
  std::vector<std::size_t> order_;
  int repetitions_ = 1;
};

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
                                                const study::comparison_options& judging,
                                                const std::vector<std::string>& only) {
  std::vector<measurement::set_rounds> others;
  others.reserve(field.size());
  for (const flags_contender& c : std::span(field).subspan(1)) others.push_back(c.measured);
  return measurement::judged_rows(field[0].measured, others, judging, only);
}

flags_end take_rounds(std::vector<flags_contender>& field, const flags_rounds_options& options) {
  const temporary_folder folder;
  const auto start = std::chrono::steady_clock::now();
  const auto time_over = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > options.most_s;
  };
  round_runner runner(options, (folder.path() / "result.json").string(), field.size());
  round_filter filter(options.filter);
  constexpr int most_rounds = 1000;
  for (int round = 0; round <= most_rounds; ++round) {
    const std::size_t whole_rounds = field[0].measured.rounds.size();
    const round_end end = runner.run(round, filter, field);
    if (end == round_end::interrupted) {
      forget_rounds_after(whole_rounds, field);
      return flags_end::interrupted;
    }
    if (filter.is_narrow() && (end == round_end::refused || !filter.is_heeded(field))) {
      forget_rounds_after(whole_rounds, field);
      filter.give_up();
    }
    if (round == 0 || round < least_rounds(field, options)) continue;
    std::vector<std::string> left =
        measurement::unsettled(judged_rows(field, options.judging, filter.measured_alone(field[0])),
                               field[0].measured.rounds.size(), options.judging.bootstrap.confidence);
    if (left.empty()) return flags_end::narrow;
    if (time_over()) break;
    if (left.size() < field[0].measured.rounds.front().rows.size()) filter.narrow_to(std::move(left));
  }
  return flags_end::time_over;
}

}  // namespace tool

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/quantile.hpp>
#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Interval of a figure at the requested confidence.
struct interval {
  double low = 0, high = 0;

  [[nodiscard]] constexpr bool contains(double x) const noexcept { return low <= x && x <= high; }
  [[nodiscard]] constexpr bool within(interval outer) const noexcept { return outer.low <= low && high <= outer.high; }
  [[nodiscard]] constexpr double half_width() const noexcept { return (high - low) / 2; }
};

/// Options of the bootstrap. 2000 resamples leave 50 beyond each end of a 95 % interval, which places the ends to 1 %
/// of its width; the same seed draws the same interval on every machine.
struct bootstrap_options {
  double confidence = 0.95;
  int resamples = 2000;
  std::uint64_t seed = 1;
};

/// Interval of a figure by the percentile bootstrap: `resampled(random)` is the figure of samples redrawn with
/// replacement. The interval covers the middle share `confidence` of the draws.
///
/// Percentiles, not BCa, whose acceleration is a jackknife and no valid estimate for a median.
/// Throws: value_error unless confidence is between 0 and 1 and there are resamples.
template <class Resampled>
[[nodiscard]] interval bootstrap(const Resampled& resampled, const bootstrap_options& options = {}) {
  require<value_error>(options.confidence > 0 && options.confidence < 1, "bootstrap: confidence is ",
                       options.confidence, "; must be between 0 and 1");
  require<value_error>(options.resamples >= 1, "bootstrap: ", options.resamples, " resamples; must be at least 1");
  random_stream random(options.seed);
  std::vector<double> figures(static_cast<std::size_t>(options.resamples));
  for (double& figure : figures) figure = resampled(random);
  const double tail = (1 - options.confidence) / 2;
  return {.low = quantile(figures, tail), .high = quantile(figures, 1 - tail)};
}

/// Median of a redraw of the samples, of equal size, with replacement.
/// Throws: value_error without samples.
[[nodiscard]] inline double resampled_median(const std::vector<double>& samples, random_stream& random) {
  std::vector<double> drawn(samples.size());
  for (double& sample : drawn) sample = samples[random.below(static_cast<std::uint32_t>(samples.size()))];
  return median(std::move(drawn));
}

/// Interval of the median. Throws: value_error without samples.
[[nodiscard]] inline interval median_interval(const std::vector<double>& samples,
                                              const bootstrap_options& options = {}) {
  return bootstrap([&](random_stream& random) { return resampled_median(samples, random); }, options);
}

/// Interval of median(above) ÷ median(below) for independent samples.
/// Throws: value_error if one of them is empty.
[[nodiscard]] inline interval median_ratio_interval(const std::vector<double>& above, const std::vector<double>& below,
                                                    const bootstrap_options& options = {}) {
  const auto ratio = [&](random_stream& random) {
    const double numerator = resampled_median(above, random);
    return numerator / resampled_median(below, random);
  };
  return bootstrap(ratio, options);
}

/// Corrects probabilities of many tests (Holm): the chance that any test below a level is wrong stays below that level.
/// The i-th smallest of m becomes the largest of (m − j)·p_j over j <= i, counted from 0, up to 1.
/// Example: holm({0.01, 0.04, 0.03}) == {0.03, 0.06, 0.06}
[[nodiscard]] inline std::vector<double> holm(const std::vector<double>& probabilities) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return probabilities[i] < probabilities[j]; });
  std::vector<double> raised(probabilities.size());
  double largest = 0;
  for (std::size_t j = 0; j < order.size(); ++j) {
    largest = (std::max)(largest, static_cast<double>(order.size() - j) * probabilities[order[j]]);
    raised[order[j]] = (std::min)(1.0, largest);
  }
  return raised;
}

namespace detail {

/// Twice the rank of each value among all, 2 for the smallest; equal values share the mean of their ranks, which
/// doubled is an integer.
[[nodiscard]] inline std::vector<std::size_t> doubled_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size()), ranks(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && exactly(values[order[end]], values[order[first]])) ++end;
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = first + end + 1;
  }
  return ranks;
}

/// Number of ways to choose from the ranks that lead to each sum: of `take` of them, or of any number of them.
/// Up to 2^most_exact ways, all exact in double.
inline constexpr std::size_t most_exact = 40;
[[nodiscard]] inline std::vector<double> sums_of_some(const std::vector<std::size_t>& ranks, std::size_t take) {
  const std::size_t total = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<std::vector<double>> ways(take + 1, std::vector<double>(total + 1));
  ways[0][0] = 1;
  for (const std::size_t rank : ranks)
    for (std::size_t taken = take; taken > 0; --taken)
      for (std::size_t sum = total; sum >= rank; --sum) ways[taken][sum] += ways[taken - 1][sum - rank];
  return ways[take];
}
[[nodiscard]] inline std::vector<double> sums_of_any(const std::vector<std::size_t>& ranks) {
  std::vector<double> ways(std::accumulate(ranks.begin(), ranks.end(), std::size_t{1}));
  ways[0] = 1;
  for (const std::size_t rank : ranks)
    for (std::size_t sum = ways.size() - 1; sum >= rank; --sum) ways[sum] += ways[sum - rank];
  return ways;
}

/// Share of the ways whose sum is at least as far from the mean as `sum`.
[[nodiscard]] inline double share_as_far(const std::vector<double>& ways, double mean, double sum) {
  double as_far = 0, all = 0;
  for (std::size_t s = 0; s < ways.size(); ++s) {
    all += ways[s];
    if (std::abs(static_cast<double>(s) - mean) >= std::abs(sum - mean)) as_far += ways[s];
  }
  return as_far / all;
}
/// Normal approximation of share_as_far() for sums of doubled ranks, which differ by 2.
[[nodiscard]] inline double normal_as_far(double distance, double variance) {
  return variance > 0 ? std::erfc((std::max)(0.0, std::abs(distance) - 1) / std::sqrt(2 * variance)) : 1;
}

}  // namespace detail

/// Probability that samples of one distribution, split at random, differ by their ranks as much as a and b do: the
/// two-sided Mann–Whitney U test. Exact up to 40 samples in total, including ties; normal approximation beyond.
///
/// Ranks ignore how slow the slowest sample was. The only assumption about the noise is that a and b have the same.
/// Throws: value_error if one of them is empty.
/// Example: mann_whitney({1, 2, 3}, {4, 5, 6}) == 0.1                          // 2 of 20 ways to split them
[[nodiscard]] inline double mann_whitney(const std::vector<double>& a, const std::vector<double>& b) {
  require<value_error>(!a.empty() && !b.empty(), "mann_whitney: ", a.size(), " and ", b.size(),
                       " samples; must be at least 1 of each");
  std::vector<double> all(a);
  all.insert(all.end(), b.begin(), b.end());
  const std::vector<std::size_t> ranks = detail::doubled_ranks(all);
  const auto split = ranks.begin() + static_cast<std::ptrdiff_t>(a.size());
  const auto sum = static_cast<double>(std::accumulate(ranks.begin(), split, std::size_t{0}));
  const auto n = static_cast<double>(all.size()), in_a = static_cast<double>(a.size());
  const double mean = in_a * (n + 1);
  if (all.size() <= detail::most_exact) return detail::share_as_far(detail::sums_of_some(ranks, a.size()), mean, sum);
  double squares = 0;
  for (const std::size_t rank : ranks) squares += std::pow(static_cast<double>(rank) - (n + 1), 2);
  return detail::normal_as_far(sum - mean, in_a * (n - in_a) / (n * (n - 1)) * squares);
}

/// Probability that differences with a symmetric sign lean to one side as much as these: the two-sided Wilcoxon signed
/// rank test, for samples taken in pairs. Omits zeros. Exact up to 40 differences; normal approximation beyond.
/// Example: signed_rank({1, 2, 3, 4, 5, 6}) == 0.03125                         // 2 of 64 choices of signs
[[nodiscard]] inline double signed_rank(const std::vector<double>& differences) {
  std::vector<double> sizes;
  std::vector<bool> up;
  for (const double d : differences)
    if (!exactly(d, 0)) sizes.push_back(std::abs(d)), up.push_back(d > 0);
  const std::vector<std::size_t> ranks = detail::doubled_ranks(sizes);
  double sum = 0, mean = 0, variance = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto rank = static_cast<double>(ranks[i]);
    sum += up[i] ? rank : 0;
    mean += rank / 2;
    variance += rank * rank / 4;
  }
  if (ranks.size() <= detail::most_exact) return detail::share_as_far(detail::sums_of_any(ranks), mean, sum);
  return detail::normal_as_far(sum - mean, variance);
}

/// Direction of improvement: less for times, more for rates.
enum class better { less, more };

/// A measured row: the samples of one name, in the order of measurement.
struct measured_row {
  std::string name;
  std::vector<double> samples = {};
  std::string unit = "s";
  study::better better = study::better::less;
  std::string doubt = {};  // reason not to judge the samples; empty: none
};

/// A results file of any format: rows of different names, and the circumstances, "threads" or "host name", that must
/// agree for two sets to be compared, as far as the file reports them.
struct measured_set {
  std::string source = {};  // the file
  std::string format = {};  // "Google Benchmark"
  std::map<std::string, std::string> circumstances = {};
  std::vector<measured_row> rows = {};
};

/// Renames rows of equal names to "x", "x #2", "x #3".
inline void distinguish(std::vector<measured_row>& rows) {
  std::map<std::string, int> seen;
  for (measured_row& row : rows)
    if (const int count = ++seen[row.name]; count > 1) row.name += concat(" #", count);
}

/// Circumstances that both sets report with different values: "threads: 1 and 2".
[[nodiscard]] inline std::vector<std::string> differences(const measured_set& a, const measured_set& b) {
  std::vector<std::string> found;
  for (const auto& [name, value] : a.circumstances)
    if (const auto other = b.circumstances.find(name); other != b.circumstances.end() && other->second != value)
      found.push_back(concat(name, ": ", value, " and ", other->second));
  return found;
}

/// Merges several runs of one program into one set. A run is one sample of a row, the median of its own samples, since
/// repetitions within a process differ less than processes do: its code and data stay at the same addresses. A doubt of
/// one run applies to all; circumstances that differ between runs are listed one after the other.
///
/// A row that some of the runs lack has fewer samples. Requires: at least one run.
[[nodiscard]] inline measured_set set_of_runs(std::string source, const std::vector<measured_set>& runs) {
  measured_set all{.source = std::move(source), .format = runs.at(0).format};
  std::map<std::string, std::size_t> at;
  for (const measured_set& run : runs) {
    for (const auto& [name, value] : run.circumstances) {
      std::string& values = all.circumstances[name];
      if (values.empty()) values = value;
      else if (values != value && !values.ends_with(", " + value)) values += ", " + value;
    }
    for (const measured_row& row : run.rows) {
      const auto [place, is_new] = at.emplace(row.name, all.rows.size());
      if (is_new) all.rows.push_back({.name = row.name, .unit = row.unit, .better = row.better});
      measured_row& whole = all.rows[place->second];
      if (!row.samples.empty()) whole.samples.push_back(median(row.samples));
      if (whole.doubt.empty()) whole.doubt = row.doubt;
      if (whole.doubt.empty() && whole.unit != row.unit)
        whole.doubt = concat("measured in ", whole.unit, " and in ", row.unit);
    }
  }
  return all;
}

/// Result of comparing B with A: different, equal within the gate, or undecided.
enum class verdict { faster, slower, same, unclear };
[[nodiscard]] constexpr std::string_view to_string(verdict v) noexcept {
  constexpr std::string_view names[] = {"faster", "slower", "same", "can't tell"};
  return names[static_cast<int>(v)];
}

/// Relation of samples: with by_round, sample i of A and sample i of B are from one round, as when two programs take
/// turns.
enum class pairing { independent, by_round };

/// Options of a comparison. Rows are `same` if the interval of the speed-up is within 1 ÷ (1 + gate) … 1 + gate; `gate`
/// also defines a wide interval.
struct comparison_options {
  double gate = 0.02;
  study::pairing pairing = study::pairing::independent;
  bootstrap_options bootstrap = {};
};

/// Fewest samples that are judged. With four and four samples the interval of the ratios covers the true one in less
/// than 95 of 100 cases; with five rounds no signs are rarer than 6 in 100, with six they are.
inline constexpr std::size_t least_samples = 5, least_rounds = 6;

/// A row of both sets. Speed-up: how many times as fast B is, above 1 if it is faster, in either direction of the unit.
struct compared_row {
  std::string name, unit;
  std::size_t samples_a = 0, samples_b = 0;
  double median_a = 0, median_b = 0;
  double speedup = 0;          // 0: missing, see reason
  study::interval range = {};  // of the speed-up
  bool wide = false;           // more than half the gate to either side: 1 %
  double chance = 1;           // of such ranks without a difference
  double chance_of_any = 1;    // chance, raised for the number of rows
  study::verdict verdict = study::verdict::unclear;
  std::string reason = {};  // reason for an undecided verdict

  /// True if there are enough sound samples for a verdict; "can't tell" is one.
  [[nodiscard]] bool judged() const noexcept { return speedup > 0; }
};

/// Rows of both in the order of A, and the rows that only one of them has.
struct compared_sets {
  std::vector<compared_row> rows = {};
  std::vector<std::string> only_a = {}, only_b = {};

  [[nodiscard]] std::size_t count(verdict v) const {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [&](const compared_row& row) { return row.verdict == v; }));
  }
  /// "x: missing in B", "y: B: failed: out of memory": each row of A without a verdict, and the reason.
  [[nodiscard]] std::vector<std::string> unjudged() const {
    std::vector<std::string> all;
    for (const compared_row& row : rows)
      if (!row.judged()) all.push_back(row.name + ": " + row.reason);
    for (const std::string& name : only_a) all.push_back(name + ": missing in B");
    return all;
  }
  /// Geometric mean of the existing speed-ups; 0 without any.
  [[nodiscard]] double geometric_mean() const {
    double sum = 0, rows_with = 0;
    for (const compared_row& row : rows)
      if (row.judged()) sum += std::log(row.speedup), rows_with += 1;
    return rows_with > 0 ? std::exp(sum / rows_with) : 0;
  }
};

namespace detail {

/// Reason why two rows cannot be compared; empty if they can.
[[nodiscard]] inline std::string obstacle(const measured_row& a, const measured_row& b, pairing how) {
  if (!a.doubt.empty()) return "A: " + a.doubt;
  if (!b.doubt.empty()) return "B: " + b.doubt;
  if (a.unit != b.unit || a.better != b.better) return concat("A is in ", a.unit, ", B in ", b.unit);
  constexpr double least_value = 1e-100, most_value = 1e100;  // so that ratios are finite
  const auto odd = [&](double sample) { return !(sample >= least_value && sample <= most_value); };
  for (const auto* samples : {&a.samples, &b.samples})
    if (const auto found = std::find_if(samples->begin(), samples->end(), odd); found != samples->end())
      return concat("a sample is ", *found, "; must be ", least_value, " to ", most_value);
  const bool paired = how == pairing::by_round;
  if (paired && a.samples.size() != b.samples.size())
    return concat(a.samples.size(), " rounds and ", b.samples.size(), "; pairs need equal counts");
  const std::size_t least = paired ? least_rounds : least_samples;
  if ((std::min)(a.samples.size(), b.samples.size()) < least)
    return concat("A has ", a.samples.size(), ", B has ", b.samples.size(), paired ? " rounds" : " samples", "; needs ",
                  least);
  return "";
}

}  // namespace detail

/// Compares two rows of one name, before the number of rows is known: see judge(). `a` and `b` are samples in the same
/// unit.
///
/// Independent: the speed-up is the ratio of the medians, with its bootstrap interval; ranks are compared by Mann and
/// Whitney. By round: it is the median of the rounds' ratios, which is unaffected by a moment that slows both; ranks
/// are compared by Wilcoxon.
[[nodiscard]] inline compared_row measure_difference(const measured_row& a, const measured_row& b,
                                                     const comparison_options& options = {}) {
  compared_row row{.name = a.name,
                   .unit = a.unit,
                   .samples_a = a.samples.size(),
                   .samples_b = b.samples.size(),
                   .reason = detail::obstacle(a, b, options.pairing)};
  if (!a.samples.empty()) row.median_a = median(a.samples);
  if (!b.samples.empty()) row.median_b = median(b.samples);
  if (!row.reason.empty()) return row;

  const bool rate = a.better == better::more;
  const std::vector<double>&above = rate ? b.samples : a.samples, &below = rate ? a.samples : b.samples;
  if (options.pairing == pairing::by_round) {
    std::vector<double> ratios, differences;
    for (std::size_t i = 0; i < above.size(); ++i) {
      ratios.push_back(above[i] / below[i]);
      differences.push_back(std::log(ratios.back()));
    }
    row.speedup = median(ratios);
    row.range = median_interval(ratios, options.bootstrap);
    row.chance = signed_rank(differences);
  } else {
    row.speedup = median(above) / median(below);
    row.range = median_ratio_interval(above, below, options.bootstrap);
    row.chance = mann_whitney(above, below);
  }
  row.wide = row.range.half_width() > options.gate / 2 * row.speedup;
  return row;
}

/// Judges rows that were measured together. `same`: the interval is within the gate. `faster`, `slower`: it is not, 1
/// is outside, and the ranks agree at the level of the interval, corrected for the number of rows (Holm). Otherwise the
/// verdict is unclear, and the reason names what is missing.
inline void judge(std::vector<compared_row>& rows, const comparison_options& options = {}) {
  std::vector<compared_row*> judged;
  std::vector<double> chances;
  for (compared_row& row : rows)
    if (row.judged()) judged.push_back(&row), chances.push_back(row.chance);
  const std::vector<double> raised = holm(chances);
  const interval no_matter{.low = 1 / (1 + options.gate), .high = 1 + options.gate};
  for (std::size_t i = 0; i < judged.size(); ++i) {
    compared_row& row = *judged[i];
    row.chance_of_any = raised[i];
    if (row.range.within(no_matter)) {
      row.verdict = verdict::same;
    } else if (row.range.contains(1)) {
      row.reason = "the interval contains 1 and exceeds the gate";
    } else if (raised[i] > 1 - options.bootstrap.confidence) {
      row.reason = concat("rank test not significant, p = ", raised[i]);
      if (raised[i] > row.chance) row.reason += concat(" with ", judged.size(), " rows");
    } else {
      row.verdict = row.range.low > 1 ? verdict::faster : verdict::slower;
    }
  }
}

/// Compares every row that both sets have. Ignores circumstances: see differences().
/// Throws: value_error unless 0 < gate < 1; data_error if the sets have no row in common.
/// Example:
///   const auto c = rp::study::compare(before, after, {.gate = 0.05});
///   c.count(rp::study::verdict::slower)
[[nodiscard]] inline compared_sets compare(const measured_set& a, const measured_set& b,
                                           const comparison_options& options = {}) {
  require<value_error>(options.gate > 0 && options.gate < 1, "compare: the gate is ", options.gate,
                       "; must be between 0 and 1");
  std::map<std::string_view, const measured_row*> of_b;
  for (const measured_row& row : b.rows) of_b.emplace(row.name, &row);
  compared_sets all;
  for (const measured_row& row : a.rows) {
    const auto found = of_b.find(row.name);
    if (found == of_b.end()) {
      all.only_a.push_back(row.name);
      continue;
    }
    all.rows.push_back(measure_difference(row, *found->second, options));
    of_b.erase(found);
  }
  for (const measured_row& row : b.rows)
    if (of_b.count(row.name) != 0) all.only_b.push_back(row.name);
  require<data_error>(!all.rows.empty(), "compare: ", a.source, " and ", b.source, " have ", a.rows.size(), " and ",
                      b.rows.size(), " rows, none of them in common; must have one");
  judge(all.rows, options);
  return all;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

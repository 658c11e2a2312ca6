// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include <ridgepoint/study/bootstrap.hpp>
#include <ridgepoint/study/holm.hpp>
#include <ridgepoint/study/measured_set.hpp>
#include <ridgepoint/study/rank_tests.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// What can be said of B beside A: that it differs, that it does not differ by as much as matters, or neither.
enum class verdict { faster, slower, same, unclear };
[[nodiscard]] constexpr std::string_view to_string(verdict v) noexcept {
  constexpr std::string_view names[] = {"faster", "slower", "same", "can't tell"};
  return names[static_cast<int>(v)];
}

/// Whether sample i of A was taken beside sample i of B, as when two programs take turns.
enum class pairing { independent, by_round };

/// How two sets are compared. Where the interval of the speed-up lies within 1 ÷ (1 + gate) … 1 + gate the rows are the
/// same; `gate` is also what an interval is held against to call it wide.
struct comparison_options {
  double gate = 0.02;
  study::pairing pairing = study::pairing::independent;
  bootstrap_options bootstrap = {};
};

/// Fewest samples that are judged. Of four and four the range of the ratios covers the true one in less than 95 of 100;
/// of five rounds no signs are rarer than 6 in 100, of six they are.
inline constexpr std::size_t least_samples = 5, least_rounds = 6;

/// A row of both sets. Speed-up: how many times as fast B is, above 1 if it is faster, whichever way the unit goes.
struct compared_row {
  std::string name, unit;
  std::size_t samples_a = 0, samples_b = 0;
  double median_a = 0, median_b = 0;
  double speedup = 0;          // 0: there is none, see reason
  study::interval range = {};  // of the speed-up
  bool wide = false;           // more than half the gate to either side: 1 %
  double chance = 1;           // of such ranks if there were no difference
  double chance_of_any = 1;    // the same, raised for the number of rows
  study::verdict verdict = study::verdict::unclear;
  std::string reason = {};  // why it cannot be told

  /// Whether there are enough sound samples for a verdict; "can't tell" is one.
  [[nodiscard]] bool judged() const noexcept { return speedup > 0; }
};

/// Rows of both in the order of A, and what only one of them has.
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
  /// Of the speed-ups there are; 0 if there are none.
  [[nodiscard]] double geometric_mean() const {
    double sum = 0, rows_with = 0;
    for (const compared_row& row : rows)
      if (row.judged()) sum += std::log(row.speedup), rows_with += 1;
    return rows_with > 0 ? std::exp(sum / rows_with) : 0;
  }
};

namespace detail {

/// Why two rows cannot be held against each other; nothing if they can.
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
    return concat(a.samples.size(), " rounds and ", b.samples.size(), "; pairs need as many");
  const std::size_t least = paired ? least_rounds : least_samples;
  if ((std::min)(a.samples.size(), b.samples.size()) < least)
    return concat("A has ", a.samples.size(), ", B has ", b.samples.size(), paired ? " rounds" : " samples", "; needs ",
                  least);
  return "";
}

}  // namespace detail

/// Two rows of one name, before it is known how many others there are: see judge(). `a` and `b` are samples in the same
/// unit.
///
/// Independent: the speed-up is the ratio of the medians, with its bootstrap interval, and ranks are compared by Mann
/// and Whitney. By round: it is the median of the rounds' ratios, which a moment that slows both leaves as it is, and
/// ranks are compared by Wilcoxon.
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

/// The verdicts of rows that were measured together. `same`: the interval lies within the gate. `faster`, `slower`: it
/// does not, 1 lies outside, and the ranks agree, at the level of the interval and with as many rows as there are
/// (Holm). Else it cannot be told, and the reason says what is missing.
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
      row.reason = "the interval holds 1 and more than the gate";
    } else if (raised[i] > 1 - options.bootstrap.confidence) {
      row.reason = concat("ranks like these come by chance, p = ", raised[i]);
      if (raised[i] > row.chance) row.reason += concat(" with ", judged.size(), " rows");
    } else {
      row.verdict = row.range.low > 1 ? verdict::faster : verdict::slower;
    }
  }
}

/// Every row that both sets have. Circumstances are not looked at: see differences().
/// Throws: value_error unless the gate lies above 0 and below 1; data_error if the sets have no row in common.
/// Example:
///   const auto c = rp::study::compare(before, after, {.gate = 0.05});
///   c.count(rp::study::verdict::slower)
[[nodiscard]] inline compared_sets compare(const measured_set& a, const measured_set& b,
                                           const comparison_options& options = {}) {
  require<value_error>(options.gate > 0 && options.gate < 1, "compare: the gate is ", options.gate,
                       "; must lie between 0 and 1");
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

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ridgepoint/study/comparison.hpp>

#include "hot_loop.hpp"
#include "row_findings.hpp"

namespace measurement {

namespace study = ridgepoint::study;

/// Keeps the best of each benchmark's repetitions: other load makes a program slower, never faster.
inline void keep_best_repetitions(study::measured_set& run) {
  for (study::measured_row& row : run.rows) {
    if (row.samples.empty()) continue;
    const auto [least, most] = std::ranges::minmax(row.samples);
    row.samples = {row.better == study::better::less ? least : most};
  }
}

/// Results of the program of a set of flags, round by round.
struct set_rounds {
  std::string set;
  std::vector<study::measured_set> rounds = {};
  std::string failure = {};                           // why further rounds are missing
  std::map<std::string, row_findings> findings = {};  // of benchmarks that report them
};

/// Benchmark with one set of flags, compared with the base.
struct flags_row {
  std::string set;
  study::compared_row compared;
  std::vector<double> samples = {};  // of this set, one per round
  measurement::accuracy accuracy = {};
  hot_code code = {};
};

/// Compares every benchmark of the base, or `only` these, with every other set, in pairs of rounds, all judged
/// together. Failed sets have no rows. Requires: the base has a round, and every set without failure has as many.
inline std::vector<flags_row> judged_rows(const set_rounds& base, const std::vector<set_rounds>& others,
                                          const study::comparison_options& options,
                                          const std::vector<std::string>& only = {}) {
  const study::measured_set of_base = study::set_of_runs(base.set, base.rounds);
  const auto found_by = [](const set_rounds& set, const std::string& row) {
    const auto at = set.findings.find(row);
    return at == set.findings.end() ? row_findings() : at->second;
  };
  std::vector<std::pair<const set_rounds*, study::measured_set>> sets;
  for (const set_rounds& other : others)
    if (other.failure.empty()) sets.emplace_back(&other, study::set_of_runs(other.set, other.rounds));
  std::vector<flags_row> rows;
  std::vector<study::compared_row> compared;
  for (const study::measured_row& row : of_base.rows) {
    if (!only.empty() && std::ranges::find(only, row.name) == only.end()) continue;
    for (const auto& [set, measured] : sets) {
      const auto same = std::ranges::find(measured.rows, row.name, &study::measured_row::name);
      if (same == measured.rows.end()) continue;
      rows.push_back({.set = set->set,
                      .compared = {},
                      .samples = same->samples,
                      .accuracy = accuracy_of(found_by(*set, row.name), found_by(base, row.name))});
      compared.push_back(study::measure_difference(row, *same, options));
    }
  }
  study::judge(compared, options);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].compared = std::move(compared[i]);
  return rows;
}

/// Returns true if any row has hot-loop information.
inline bool tell_code(const std::vector<flags_row>& rows) {
  return std::ranges::any_of(rows, [](const flags_row& row) { return row.code.text() != "-"; });
}

/// Returns the fewest rounds with which ranks can be significant among so many rows: all signs of n rounds agree by
/// chance in 2 of 2ⁿ cases, which Holm multiplies by the number of rows. 10 for 14 rows at 5 %, 12 for 100.
inline std::size_t enough_rounds(std::size_t rows, double confidence = 0.95) {
  std::size_t rounds = study::least_rounds;
  while (static_cast<double>(rows) * std::exp2(1 - static_cast<double>(rounds)) > 1 - confidence) ++rounds;
  return rounds;
}

/// Returns the number of rows of a set judged faster or slower: for the base against itself, false positives.
inline std::size_t distinguished(const std::vector<flags_row>& rows, const std::string& set) {
  return static_cast<std::size_t>(std::ranges::count_if(rows, [&](const flags_row& row) {
    const study::verdict v = row.compared.verdict;
    return row.set == set && (v == study::verdict::faster || v == study::verdict::slower);
  }));
}

/// Returns the spread of the medians of a benchmark's links, as a share of the smallest.
struct layout_noise {
  std::string row;
  double share = 0;
};

/// Returns the benchmark whose `links`, run alternately round by round, differ most; empty unless each had a round.
inline layout_noise largest_layout_noise(const set_rounds& of, std::size_t links) {
  layout_noise largest;
  if (of.rounds.size() < links) return largest;
  for (const study::measured_row& row : study::set_of_runs(of.set, of.rounds).rows) {
    if (row.samples.size() < links) continue;
    std::vector<double> medians;
    for (std::size_t link = 0; link < links; ++link) {
      std::vector<double> samples;
      for (std::size_t i = link; i < row.samples.size(); i += links) samples.push_back(row.samples[i]);
      medians.push_back(ridgepoint::median(samples));
    }
    const auto [low, high] = std::ranges::minmax(medians);
    if (low > 0 && high / low - 1 > largest.share) largest = {.row = row.name, .share = high / low - 1};
  }
  return largest;
}

}  // namespace measurement

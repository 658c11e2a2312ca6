// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/quantile.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Which way a measurement is better: times are better if less, rates if more.
enum class better { less, more };

/// What was measured under one name, sample by sample, in the order it was measured.
struct measured_row {
  std::string name;
  std::vector<double> samples = {};
  std::string unit = "s";
  study::better better = study::better::less;
  std::string doubt = {};  // why the samples must not be judged; empty: they may
};

/// A file of results, whoever wrote it: rows of different names, and what must be the same for two sets to be compared,
/// "threads" or "host name", as far as the file tells.
struct measured_set {
  std::string source = {};  // the file
  std::string format = {};  // "Google Benchmark"
  std::map<std::string, std::string> circumstances = {};
  std::vector<measured_row> rows = {};
};

/// Rows of one name become "x", "x #2", "x #3".
inline void tell_apart(std::vector<measured_row>& rows) {
  std::map<std::string, int> seen;
  for (measured_row& row : rows)
    if (const int count = ++seen[row.name]; count > 1) row.name += concat(" #", count);
}

/// What two sets both tell of and do not agree in: "threads: 1 and 2".
[[nodiscard]] inline std::vector<std::string> differences(const measured_set& a, const measured_set& b) {
  std::vector<std::string> found;
  for (const auto& [name, value] : a.circumstances)
    if (const auto other = b.circumstances.find(name); other != b.circumstances.end() && other->second != value)
      found.push_back(concat(name, ": ", value, " and ", other->second));
  return found;
}

/// Several runs of the same program as one set: a run is one sample of a row, the median of its own, since what a
/// process does again differs less than what another process does: where its code and data lie stays as it is. A doubt
/// of one run is one of all; circumstances that the runs do not agree in are told one after the other.
///
/// A row that some of the runs lack has fewer samples. Requires: there is a run.
[[nodiscard]] inline measured_set set_of_runs(std::string source, const std::vector<measured_set>& runs) {
  measured_set all{.source = std::move(source), .format = runs.at(0).format};
  std::map<std::string, std::size_t> at;
  for (const measured_set& run : runs) {
    for (const auto& [name, value] : run.circumstances) {
      std::string& told = all.circumstances[name];
      if (told.empty()) told = value;
      else if (told != value && !told.ends_with(", " + value)) told += ", " + value;
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

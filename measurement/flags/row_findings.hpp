// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace measurement {

/// Findings that a benchmark reports in counters of these names, in addition to its time; all are optional. Rates,
/// flop_per_s and bytes_per_s, are stored as work per iteration, which is independent of flags.
struct row_findings {
  std::optional<double> ulp_max = {}, ulp_mean = {}, gradient_error = {}, loss = {}, bits = {};
  std::optional<double> nan_kept = {}, subnormals_kept = {};
  std::optional<double> flop = {}, bytes = {};  // per iteration
  double loop_s = 0;                            // time of all its iterations
};

/// Effect of flags on a benchmark's numbers, compared with the base.
struct accuracy {
  row_findings found = {};
  std::optional<bool> same_bits = {};     // as the base
  std::optional<double> loss_drift = {};  // loss ÷ the base's − 1
  std::vector<std::string> lost = {};     // guarantees that only the base keeps: "NaN", "subnormals"
};

/// Compares the findings of a benchmark with the base's.
inline accuracy accuracy_of(const row_findings& found, const row_findings& base) {
  accuracy all{.found = found};
  if (found.bits && base.bits) all.same_bits = *found.bits == *base.bits;
  if (found.loss && base.loss && *base.loss != 0) all.loss_drift = *found.loss / *base.loss - 1;
  const auto loses = [](const std::optional<double>& kept, const std::optional<double>& by_base) {
    return kept && by_base && *kept == 0 && *by_base != 0;
  };
  if (loses(found.nan_kept, base.nan_kept)) all.lost.emplace_back("NaN");
  if (loses(found.subnormals_kept, base.subnormals_kept)) all.lost.emplace_back("subnormals");
  return all;
}

/// Performance of the ceilings program compiled with a set's flags, on one core.
struct build_roof {
  double flop_per_s = 0, bytes_per_s = 0;
};

}  // namespace measurement

// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace measurement {

/// What a benchmark tells of its numbers and its work beside its time, in counters of these names; all may be missing.
/// Of rates, flop_per_s and bytes_per_s, what one iteration does is kept: it is the same with any flags.
struct row_findings {
  std::optional<double> ulp_max = {}, ulp_mean = {}, gradient_error = {}, loss = {}, bits = {};
  std::optional<double> nan_kept = {}, subnormals_kept = {};
  std::optional<double> flop = {}, bytes = {};  // of an iteration
  double loop_s = 0;                            // how long all its iterations took
};

/// What flags did to a benchmark's numbers, beside the base.
struct accuracy {
  row_findings found = {};
  std::optional<bool> same_bits = {};     // as the base
  std::optional<double> loss_drift = {};  // loss ÷ the base's − 1
  std::vector<std::string> lost = {};     // promises that the base keeps: "NaN", "subnormals"
};

/// Of a benchmark with a set of flags, beside the base.
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

/// What the ceilings program reached when it was compiled with a set's flags, on one core.
struct build_roof {
  double flop_per_s = 0, bytes_per_s = 0;
};

}  // namespace measurement

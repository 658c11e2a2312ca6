// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace measurement {

/// What a benchmark tells of its numbers and its work beside its time, in counters of these names; all may be missing.
/// Of rates, flop_per_s and bytes_per_s, what one iteration does is kept: it is the same with any flags.
struct row_findings {
  std::optional<double> ulp_max, ulp_mean, gradient_error, loss, bits, nan_kept, subnormals_kept;
  std::optional<double> flop, bytes;  // of an iteration
};

/// What flags did to a benchmark's numbers, beside the base.
struct accuracy {
  row_findings found;
  std::optional<bool> same_bits;       // as the base
  std::optional<double> loss_drift;    // loss ÷ the base's − 1
  std::vector<std::string> lost = {};  // promises that the base keeps: "NaN", "subnormals"
};

/// What the ceilings program reached when it was compiled with a set's flags, on one core.
struct build_roof {
  double flop_per_s = 0, bytes_per_s = 0;
};

}  // namespace measurement

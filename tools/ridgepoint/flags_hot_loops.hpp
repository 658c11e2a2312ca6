// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "flags_build.hpp"
#include "flags_rounds.hpp"

namespace tool {

/// Explains speed-ups. Finds for every row the hot loop of the benchmark, its vector width and its share of FMA; for
/// every set, MXCSR. Runs each benchmark once more with each set, on its own, for 0.05 s in its loop, within `most_s`
/// in total.
///
/// Leaves a row unchanged if nothing is found. Returns a remark about missing results, or "": "no time for 3 of 14
/// rows", "objdump is not there".
std::string find_hot_loops(std::vector<measurement::flags_row>& rows, std::vector<flags_build>& builds,
                           const std::vector<flags_contender>& field, const flags_rounds_options& how, double most_s);

}  // namespace tool

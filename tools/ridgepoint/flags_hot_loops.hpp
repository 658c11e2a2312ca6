// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "flags_build.hpp"
#include "flags_rounds.hpp"

namespace tool {

/// Finds out why a speed-up is one: for every row, the loop that the benchmark spends its time in, how wide its vectors
/// are and how much of it is FMA; for every set, MXCSR. Each benchmark runs once more with each set, on its own, for
/// 0.05 s in its loop, and all of them together for no longer than `most_s`.
///
/// A row of which nothing can be found out stays as it is. Returns what is to be said of that, or "": "no time for 3 of
/// 14 rows", "objdump is not there".
std::string find_hot_loops(std::vector<measurement::flags_row>& rows, std::vector<flags_build>& builds,
                           const std::vector<flags_contender>& field, const flags_rounds_options& how, double most_s);

}  // namespace tool

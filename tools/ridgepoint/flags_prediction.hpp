// SPDX-License-Identifier: MIT
#pragma once

#include "flags_build.hpp"
#include "flags_rounds.hpp"

namespace tool {

/// Returns the predicted cost of all sets, extrapolated from the first: "130 MB of memory and 12 min 40 s to build, and
/// 31 min 20 s for 10 rounds". Builds, keeps and runs once the first set, the base.
///
/// If the base needed no compilation, assumes 1 GiB per compiler. Throws: ridgepoint::backend_error if the base fails.
std::string predicted_cost(const std::vector<flags_build>& sets, const flags_source& of,
                           const flags_rounds_options& how);

}  // namespace tool

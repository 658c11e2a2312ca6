// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "flags_build.hpp"

namespace tool {

/// Builds the ceilings program with every set that has a program, runs it on a core (-1: any), and sets their `roof` to
/// the best of two runs. Leaves `roof` empty on failure.
/// Throws: as ceilings_source() and build_flags().
void measure_roofs(std::vector<flags_build>& builds, const flags_source& ceilings, int core);

}  // namespace tool

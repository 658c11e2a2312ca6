// SPDX-License-Identifier: MIT
#pragma once

#include "flags_build.hpp"
#include "flags_rounds.hpp"

namespace tool {

/// What so many sets would take, judged by the first one: "130 MB of memory and 12 min 40 s to build, and 31 min 20 s
/// for 10 rounds". The first one, the base, is built and kept, and runs once.
///
/// Where nothing had to be compiled for it, a compiler is said to need 1 GiB. Throws: ridgepoint::backend_error if the
/// base fails.
std::string predicted_cost(const std::vector<flags_build>& sets, const flags_source& of,
                           const flags_rounds_options& how);

}  // namespace tool

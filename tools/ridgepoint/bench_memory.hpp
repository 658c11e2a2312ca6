// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/roofline/format.hpp>

#include "available_memory.hpp"
#include "bench_rounds.hpp"

namespace tool {

/// Throws: ridgepoint::value_error if the operands of a problem, one copy per contender, do not fit the available
/// memory.
inline void check_memory(const std::vector<bench_problem>& problems, std::size_t contenders) {
  const std::uint64_t available = available_bytes();
  const auto text = [](std::uint64_t bytes) { return ridgepoint::quantity(static_cast<double>(bytes), "B"); };
  for (const bench_problem& p : problems) {
    const std::uint64_t needed = contenders * p.operand_bytes;
    ridgepoint::require<ridgepoint::value_error>(available == 0 || needed <= available, "bench: the operands of ",
                                                 p.shape, " in ", contenders, " processes are ", text(needed),
                                                 "; must be at most the ", text(available), " that are available");
  }
}

}  // namespace tool

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/roofline/placement.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Formats a profile on a machine, one line per row, with its letter in the plot. The times add up to the wall time of
/// the step; unexplained time is a row of its own. "% of roof": of the roof at the row's own intensity and level. The
/// first line reports a busy host; with several backends, each row names its backend. If the backend reports the chosen
/// algorithm, "executed" is its GFLOP/s, including lanes without an element; "GFLOP/s" counts the definition.
/// Example: std::cout << rp::table(trainer.profile(), rp::probe(cpu));
[[nodiscard]] std::string table(const profile& p, const machine& on);

/// Formats the ceilings of a machine with spread and source, and the ridge points for the ISA and threads of the query.
[[nodiscard]] std::string table(const machine& m, const roof_query& query = {});

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/roofline/table-inl.hpp>
#endif

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/roofline/placement.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A profile on a machine, one line per row, with its letter in the plot. The times add up to the wall time of the
/// step; what no row explains is a row of its own. "% of roof": of the roof at the row's own intensity and level. If
/// the host was busy, the first line says so; if more than one backend computed, each row says which. Where the
/// backend tells the algorithm it chose, "executed" is its GFLOP/s, lanes without an element included; "GFLOP/s" counts
/// the definition.
/// Example: std::cout << rp::table(trainer.profile(), rp::probe(cpu));
[[nodiscard]] std::string table(const profile& p, const machine& on);

/// The ceilings of a machine with their spread and source, and where they meet for the ISA and threads of the query.
[[nodiscard]] std::string table(const machine& m, const roof_query& query = {});

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/roofline/table-inl.hpp>
#endif

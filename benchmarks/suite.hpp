// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/roofline/work.hpp>

#include "measurement/peers/peer.hpp"
#include "measurement/shapes.hpp"

/// What the suites bench_gemm, bench_dense, bench_map and bench_mlp share. Implementations are prepared and checked as
/// for `ridgepoint versus` (measurement/peers), but all in one process with their default settings.
namespace suite {

/// The number of threads for everyone: OMP_NUM_THREADS, or 1. Other variables that steer the peers are taken out of the
/// environment at the first call, which must come before the first use of a peer.
int threads();

/// The CPU backend on every instruction set that this CPU runs and this build has.
const std::vector<std::unique_ptr<ridgepoint::cpu>>& backends();

/// The cells of these columns of a shape file, row by row: from the folder "shapes" beside this program.
std::vector<std::vector<std::string>> shapes(const std::string& file, const std::vector<std::string>& columns);

/// A benchmark "op/implementation/shape". When it runs, the task is prepared and its result checked; a wrong one is
/// reported and not timed. The receipt of one call gives the counters; its roof is that of the implementation's own
/// instruction set, or the strongest one's for a peer.
void add(const std::string& op, const std::string& implementation, const std::string& shape,
         const ridgepoint::work& receipt, std::function<peer::task()> prepare, const std::string& dtype = "f32");

}  // namespace suite

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

/// Helpers of bench_gemm, bench_dense, bench_map and bench_mlp. Implementations are prepared and checked as for
/// `ridgepoint bench` (measurement/peers), but in one process with their default settings.
namespace suite {

/// Returns the number of threads of all implementations: OMP_NUM_THREADS, or 1. The first call, which must precede
/// the first use of a peer, removes other variables that configure peers from the environment.
int threads();

/// Returns the CPU backends of every instruction set that this build has and this CPU supports.
const std::vector<std::unique_ptr<ridgepoint::cpu>>& backends();

/// Returns these columns of a shape file, row by row, from the folder "shapes" next to this program.
std::vector<std::vector<std::string>> shapes(const std::string& file, const std::vector<std::string>& columns);

/// Adds a benchmark "op/implementation/shape". When it runs, the task is prepared and its result checked; a wrong
/// result is reported and not timed. The receipt of one call gives the counters; the roof is that of the
/// implementation's own instruction set, or the strongest one's for a peer.
void add(const std::string& op, const std::string& implementation, const std::string& shape,
         const ridgepoint::work& receipt, std::function<peer::task()> prepare, const std::string& dtype = "f32");

}  // namespace suite

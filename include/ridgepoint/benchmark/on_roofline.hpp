// SPDX-License-Identifier: MIT
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <utility>

#include <ridgepoint/roofline/placement.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Adds Google Benchmark counters of work that took elapsed_s per execution: flop_per_s, bytes_per_s, flop_per_byte and
/// roof_percent; the label names the bound. A counter that is not finite would make the JSON invalid and is omitted.
/// `footprint_bytes` as for place().
inline void roofline_counters(benchmark::State& state, const machine& on, const work& receipt, double elapsed_s,
                              std::uint64_t footprint_bytes = 0, const roof_query& query = {}) {
  const placement at = place(on, receipt, elapsed_s, footprint_bytes, query);
  for (const auto& [name, value] : {std::pair{"flop_per_s", at.flop_per_s},
                                    {"bytes_per_s", at.bytes_per_s},
                                    {"flop_per_byte", at.flop_per_byte},
                                    {"roof_percent", 100 * at.efficiency}})
    if (std::isfinite(value)) state.counters[name] = value;
  state.SetLabel(at.bound + (at.above_roof
                                 ? " (above the roof: fewer FLOP than the definition, or a wrong count or ceiling)"
                                 : ""));
}

/// Times `op`, which returns its receipt, and places it on the roofline of a machine. Buffers stay in cache: the
/// footprint is the receipt's, and so is the type of the compute ceiling unless the query names one. Register with
/// UseRealTime().
/// Example:
///   const rp::cpu on;
///   const rp::machine host = rp::probe(on);
///   benchmark::RegisterBenchmark("gemm/mine/64x64x64", [&](benchmark::State& state) {
///     rp::on_roofline(state, host, {.threads = on.thread_count()}, [&] { return rp::gemm(on, a, b, c); });
///   })->UseRealTime();
template <class Op>
void on_roofline(benchmark::State& state, const machine& host, const roof_query& query, Op&& op) {
  work receipt;
  const auto start = std::chrono::steady_clock::now();
  for ([[maybe_unused]] auto _ : state) {
    receipt = op();
    benchmark::ClobberMemory();
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  roofline_counters(state, host, receipt, elapsed.count() / static_cast<double>(state.iterations()), 0, query);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

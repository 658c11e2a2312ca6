// SPDX-License-Identifier: MIT
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <map>
#include <string>

#include <ridgepoint/cpu/dispatch.hpp>
#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/roofline/placement.hpp>

/// Google Benchmark meets the roofline. Names are `<op>/<implementation>/<shape>`; every benchmark uses real time and
/// carries the counters flop_per_s, bytes_per_s, flop_per_byte and roof_percent.
namespace bench {

namespace rp = ridgepoint;

/// The ceilings of this machine with the instruction set and threads of a backend; measured once per process.
inline const rp::machine& ceilings_of(const rp::dispatched_cpu& on) {
  static std::map<std::string, rp::machine> known;
  const std::string key = rp::concat(on.name(), ' ', on.thread_count());
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, rp::probe(on, {.budget_s = 2})).first->second;
}

/// Sets the counters of work that took elapsed_s per execution. A counter that is not finite would make the JSON
/// invalid and is left out.
inline void set_counters(benchmark::State& state, const rp::machine& on, const rp::work& receipt, double elapsed_s,
                         std::uint64_t footprint_bytes, const rp::roof_query& query) {
  const rp::placement at = rp::place(on, receipt, elapsed_s, footprint_bytes, query);
  for (const auto& [name, value] : {std::pair{"flop_per_s", at.flop_per_s}, {"bytes_per_s", at.bytes_per_s},
                                    {"flop_per_byte", at.flop_per_byte}, {"roof_percent", 100 * at.efficiency}})
    if (std::isfinite(value)) state.counters[name] = value;
  state.SetLabel(at.bound + (at.above_roof ? " (above the roof: a count or a ceiling is wrong)" : ""));
}

/// Times `op`, which returns its own receipt, and places it on the roofline of `host`: the ceilings of the same
/// instruction set for ours, of the strongest one for a peer. Buffers stay in cache: the footprint is the receipt's.
/// Example:
///   on_roofline(state, host, "f32", [&] { return rp::gemm(on, a, b, c); });
template <class Op>
void on_roofline(benchmark::State& state, const rp::dispatched_cpu& host, const std::string& dtype, Op&& op) {
  const rp::machine& machine = ceilings_of(host);
  rp::work receipt;
  const auto start = std::chrono::steady_clock::now();
  for ([[maybe_unused]] auto _ : state) {
    receipt = op();
    benchmark::ClobberMemory();
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  set_counters(state, machine, receipt, elapsed.count() / static_cast<double>(state.iterations()), 0,
               {.dtype = dtype, .isa = std::string(host.isa()), .threads = host.thread_count()});
}

}  // namespace bench

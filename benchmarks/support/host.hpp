// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include <ridgepoint/benchmark/on_roofline.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cpu/probe.hpp>

#include "ceilings_budget.hpp"

/// The machine that the suites run on. Names of benchmarks are `<op>/<implementation>/<shape>`.
namespace bench {

namespace rp = ridgepoint;

/// Returns the ceilings of this machine for a backend's instruction set and threads; measured once per process.
inline const rp::machine& ceilings_of(const rp::cpu& on) {
  static std::map<std::string, rp::machine> known;
  const std::string key = rp::concat(on.name(), ' ', on.thread_count());
  const auto found = known.find(key);
  return found != known.end() ? found->second
                              : known.emplace(key, rp::probe(on, {.budget_s = ceilings_budget_s})).first->second;
}

/// Calls rp::on_roofline() with the ceilings of `host`: of the same instruction set for ridgepoint, of the strongest
/// one for a peer.
template <class Op>
void on_roofline(benchmark::State& state, const rp::cpu& host, const std::string& dtype, Op&& op) {
  rp::on_roofline(state, ceilings_of(host),
                  {.dtype = dtype, .isa = std::string(host.isa()), .threads = host.thread_count()}, op);
}

}  // namespace bench

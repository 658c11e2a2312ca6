// SPDX-License-Identifier: MIT
// bench_map: the single-pass, memory-bound ops of shapes/map.csv.
#include "measurement/peers/exp_kernel.hpp"
#include "measurement/peers/map_problem.hpp"
#include "measurement/peers/map_receipt.hpp"
#include "suite.hpp"

#if defined(RIDGEPOINT_HAS_ONEDNN)
#include <ridgepoint/onednn/all.hpp>

#include "measurement/peers/onednn_exp.hpp"
#endif

namespace rp = ridgepoint;

void register_benchmarks();
void register_benchmarks() {
  suite::threads();
#if defined(RIDGEPOINT_HAS_ONEDNN)
  static const rp::onednn library(suite::threads());
#endif
  for (const std::vector<std::string>& s : suite::shapes("map.csv", measurement::columns::map)) {
    const peer::words problem{"map", "f32", s.at(0), s.at(1), s.at(2)};
    const rp::work receipt = peer::map_receipt(s[0], std::stol(s[1]), std::stol(s[2]));
    const std::string shape = s[1] + 'x' + s[2];
    for (const auto& on : suite::backends()) {
      const auto exp = [run = peer::exp_kernel(on->isa())](const rp::cpu& where, rp::index_t size, const float* x,
                                                           float* y) { run(where.thread_count(), size, x, y); };
      suite::add(s[0], on->name(), shape, receipt, [&on, problem, exp] { return peer::map_task(*on, problem, exp); });
    }
#if defined(RIDGEPOINT_HAS_ONEDNN)
    if (!peer::is_optimiser(s[0]))
      suite::add(s[0], "onednn", shape, receipt,
                 [problem] { return peer::map_task(library, problem, peer::onednn_exp); });
#endif
  }
}

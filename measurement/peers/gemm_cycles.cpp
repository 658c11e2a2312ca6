// SPDX-License-Identifier: MIT
// Compiled once per instruction set: the prediction of gemm()'s own planner.
#include <ridgepoint/cpu/gemm.hpp>

#include "gemm_cycles.hpp"

namespace {

namespace rp = ridgepoint;

template <class T>
double cycles(const void* args) {
  const auto& g = *static_cast<const rp::gemm_args<T>*>(args);
  const rp::detail::gemm_schedule s = rp::detail::schedule(rp::native_cpu(1), g);
  return s.transposed || s.turned ? 0 : s.plan.cycles;
}

constexpr peer_gemm_cycles_table table{cycles<float>, cycles<double>};

}  // namespace

extern "C" const void* RIDGEPOINT_ISA_SYMBOL(peer_gemm_cycles)();
extern "C" const void* RIDGEPOINT_ISA_SYMBOL(peer_gemm_cycles)() { return &table; }

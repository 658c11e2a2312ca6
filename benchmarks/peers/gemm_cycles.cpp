// SPDX-License-Identifier: MIT
// Compiled once per instruction set: what gemm() predicts, asked of the planner that it asks itself.
#include <ridgepoint/cpu/gemm.hpp>

#include "gemm_cycles.hpp"

namespace {

namespace rp = ridgepoint;

template <class T>
double cycles(const void* args) {
  const auto& g = *static_cast<const rp::gemm_args<T>*>(args);
  const bool turned = (g.c.rows == 1 && g.b.col_stride != 1) || (g.c.cols == 1 && g.a.col_stride != 1) ||
                      rp::kernels::gains_turned<T>(g.c.rows, g.c.cols, {g.a.row_stride, g.a.col_stride});
  return turned ? 0 : rp::detail::plan(g).cycles;
}

constexpr peer_gemm_cycles_table table{cycles<float>, cycles<double>};

}  // namespace

extern "C" const void* RIDGEPOINT_ISA_SYMBOL(peer_gemm_cycles)();
extern "C" const void* RIDGEPOINT_ISA_SYMBOL(peer_gemm_cycles)() { return &table; }

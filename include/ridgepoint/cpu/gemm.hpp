// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/kernels/gemm/macrokernel.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const cpu& on, const gemm_args<T>& g) {
  static_cast<void>(on);
  const kernels::gemm_plan plan = kernels::plan_gemm<T>(g.c.rows, g.c.cols, g.a.cols, {g.a.row_stride, g.a.col_stride}, {g.b.row_stride, g.b.col_stride});
  kernels::gemm_block(plan, g);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

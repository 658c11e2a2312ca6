// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/kernels/map/column_sum.hpp>
#include <ridgepoint/ops/dense.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const dense_args<T>& d) {
  execute(on, gemm_args<T>{.a = d.x, .b = d.w, .c = d.y, .options = {.bias = d.bias, .act = d.act}});
}

template <std::floating_point T>
void execute(const native_cpu& on, const dense_backward_data_args<T>& d) {
  execute(on, gemm_args<T>{.a = d.dy, .b = d.w.transposed(), .c = d.dx});
}

template <std::floating_point T>
void execute(const native_cpu& on, const dense_backward_weights_args<T>& d) {
  execute(on, gemm_args<T>{.a = d.x.transposed(), .b = d.dy, .c = d.dw});
  if (d.db == nullptr) return;
  constexpr index_t part_cols = 128;  // a part reads whole cache lines of every row
  const index_t parts = ceil_div(d.dy.cols, part_cols);
  const bool worth_a_team = d.dy.rows * d.dy.cols > 65536;
  parallel_for(worth_a_team ? on.thread_count() : 1, parts, [&](index_t part) {
    kernels::column_sum(d.dy, d.db, part * part_cols, std::min(d.dy.cols, (part + 1) * part_cols));
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/ops/gemm_batched.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const gemm_batched_args<T>& g) {
  const auto& [a, b, c, options] = g.first;
  const bool by_steps = g.a_at == nullptr && g.b_at == nullptr && g.c_at == nullptr;
  const bool stacked =
      by_steps && g.b_step == 0 && g.a_step == a.rows * a.row_stride && g.c_step == c.rows * c.row_stride;
  if (stacked && g.count > 1) {
    gemm_args<T> tall = g.first;
    tall.a.rows *= g.count;
    tall.c.rows *= g.count;
    return execute(on, tall);
  }
  if (g.count < on.thread_count()) {
    for (index_t q = 0; q < g.count; ++q) execute(on, g[q]);
    return;
  }
  parallel_for(on.thread_count(), g.count, [&](index_t q) { execute(on.on_one_thread(), g[q]); });
}

template <std::floating_point T>
detail::gemm_kernels<T> kernels_of(const gemm_batched_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

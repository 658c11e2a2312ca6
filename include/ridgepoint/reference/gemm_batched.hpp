// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/gemm_batched.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <scalar T>
void execute(const reference_backend& on, const gemm_batched_args<T>& g) {
  for (index_t q = 0; q < g.count; ++q) execute(on, g[q]);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/gemm.hpp>
#include <ridgepoint/ops/gemm_batched.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Every problem a product of its own, all by one plan where they lie alike.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const gemm_batched_args<T>& g) {
  return workspace_bytes(on, g.first);
}
template <class T>
void execute(cuda_context& on, const gemm_batched_args<T>& g, void* workspace) {
  for (index_t q = 0; q < g.count; ++q) execute(on, g[q], workspace);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

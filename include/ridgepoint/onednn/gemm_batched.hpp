// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/gemm.hpp>
#include <ridgepoint/ops/gemm_batched.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// One product of the library after the other: the problems share its recipe.
inline void execute(const onednn& on, const gemm_batched_args<float>& g) {
  for (index_t q = 0; q < g.count; ++q) execute(on, g[q]);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

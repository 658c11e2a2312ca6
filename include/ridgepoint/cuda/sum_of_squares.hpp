// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/sum_of_squares.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A sum for every block.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const sum_of_squares_args<T>& a) {
  return on.loop(a.size).blocks * sizeof(double);
}
template <class T>
void execute(cuda_context& on, const sum_of_squares_args<T>& a, void* workspace) {
  const launch_shape shape = on.loop(a.size);
  auto* const parts = static_cast<double*>(workspace);
  on.launch(reduction_kernels<T>::square_parts, shape, a.size, a.x, parts);
  on.launch(untyped_kernels::gather_squares, {.threads = block_threads}, shape.blocks, parts, a.accumulate ? 1.0 : 0.0,
            a.state);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

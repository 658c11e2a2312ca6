// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/loss_parts.hpp>
#include <ridgepoint/ops/binary_cross_entropy.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A part of the loss for every block.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const binary_cross_entropy_args<T>& b) {
  return on.loop(b.size).blocks * sizeof(loss_part);
}
template <class T>
void execute(cuda_context& on, const binary_cross_entropy_args<T>& b, void* workspace) {
  const launch_shape shape = on.loop(b.size);
  const auto size = static_cast<double>(b.size);
  on.launch(loss_kernels<T>::binary_cross_entropy, shape, b.size, b.y, b.target,
            static_cast<compute_t<T>>(b.weight / size), b.dy, parts_in(workspace));
  gather_loss(on, shape.blocks, workspace, size, nullptr, b.state);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

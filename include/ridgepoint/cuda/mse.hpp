// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/loss_parts.hpp>
#include <ridgepoint/ops/mse.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A part of the loss for every block.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const mse_args<T>& m) {
  return on.loop(m.size).blocks * sizeof(loss_part);
}
template <class T>
void execute(cuda_context& on, const mse_args<T>& m, void* workspace) {
  const launch_shape shape = on.loop(m.size);
  const auto size = static_cast<double>(m.size);
  on.launch(loss_kernels<T>::mse, shape, m.size, m.y, m.target, static_cast<compute_t<T>>(2 * m.weight / size), m.dy,
            parts_in(workspace));
  gather_loss(on, shape.blocks, workspace, size, nullptr, m.state);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/loss_parts.hpp>
#include <ridgepoint/ops/detection.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A part of the loss for every block.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const detection_args<T>& d) {
  return on.loop(d.samples * (d.logits + d.boxes)).blocks * sizeof(loss_part);
}
template <class T>
void execute(cuda_context& on, const detection_args<T>& d, void* workspace) {
  const launch_shape shape = on.loop(d.samples * (d.logits + d.boxes));
  const auto samples = static_cast<double>(d.samples);
  on.launch(loss_kernels<T>::detection, shape, d.options.alpha, d.options.delta, d.options.box_weight,
            d.weight / samples, d.samples, d.logits, d.boxes, d.y, d.target, d.dy, parts_in(workspace));
  gather_loss(on, shape.blocks, workspace, samples, nullptr, d.state);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/loss_parts.hpp>
#include <ridgepoint/kernels/map/detection.hpp>
#include <ridgepoint/ops/detection.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Sample by sample, first logits, then boxes.
template <std::floating_point T>
void execute(const native_cpu& on, const detection_args<T>& d) {
  const double scale = d.weight / static_cast<double>(d.samples);
  const kernels::focal_options<T> focal{static_cast<T>(d.options.alpha), static_cast<T>(1 - d.options.alpha),
                                        static_cast<T>(scale)};
  const auto delta = static_cast<T>(d.options.delta), slope = static_cast<T>(scale * d.options.box_weight);
  double classes = 0, boxes = 0, correct = 0;
  const auto behind = [](auto* p, index_t count) { return p == nullptr ? p : p + count; };
  for (index_t i = 0; i < d.samples; ++i) {
    const index_t at = i * (d.logits + d.boxes), box = at + d.logits;
    const auto of_logits =
        sum_loss<2>(on, d.y + at, d.target + at, behind(d.dy, at), d.logits,
                    [&](auto* y, auto* t, auto* dy, index_t n) { return kernels::focal_sum(y, t, dy, n, focal); });
    const auto of_boxes = sum_loss<1>(
        on, d.y + box, d.target + box, behind(d.dy, box), d.boxes,
        [&](auto* y, auto* t, auto* dy, index_t n) { return kernels::huber_sum(y, t, dy, n, delta, slope); });
    classes += of_logits[0];
    correct += of_logits[1];
    boxes += of_boxes[0];
  }
  d.state->loss = (classes + d.options.box_weight * boxes) / static_cast<double>(d.samples);
  d.state->correct = static_cast<std::uint32_t>(correct);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

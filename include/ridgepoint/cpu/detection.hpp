// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/loss_kernels.hpp>
#include <ridgepoint/ops/detection.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const detection_args<T>& d) {
  const double scale = d.weight / static_cast<double>(d.samples);
  const auto alpha = static_cast<T>(d.options.alpha), rest = static_cast<T>(1 - d.options.alpha);
  const auto delta = static_cast<T>(d.options.delta), slope = static_cast<T>(scale * d.options.box_weight);
  double classes = 0, boxes = 0, correct = 0;
  const auto gradient = [&](index_t at) { return d.dy == nullptr ? nullptr : d.dy + at; };
  for (index_t i = 0; i < d.samples; ++i) {
    const index_t sample = i * (d.logits + d.boxes), box = sample + d.logits;
    const auto of_logits = sum_parts<2>(on, d.logits, part_elements, [&](index_t begin, index_t end) {
      const index_t at = sample + begin;
      return on.template call<kernels::focal_chunk<T>>(d.y + at, d.target + at, gradient(at), end - begin, alpha, rest,
                                                       static_cast<T>(scale));
    });
    const auto of_boxes = sum_parts<1>(on, d.boxes, part_elements, [&](index_t begin, index_t end) {
      const index_t at = box + begin;
      return on.template call<kernels::huber_chunk<T>>(d.y + at, d.target + at, gradient(at), end - begin, delta,
                                                       slope);
    });
    classes += of_logits[0];
    correct += of_logits[1];
    boxes += of_boxes[0];
  }
  d.state->loss = on.vectors().multiply_add(d.options.box_weight, boxes, classes) / static_cast<double>(d.samples);
  d.state->correct = static_cast<std::uint32_t>(correct);
}
template <std::floating_point T>
type_list<kernels::focal_chunk<T>, kernels::huber_chunk<T>> kernels_of(const detection_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/loss_kernels.hpp>
#include <ridgepoint/ops/binary_cross_entropy.hpp>
#include <ridgepoint/ops/detection.hpp>
#include <ridgepoint/ops/mse.hpp>
#include <ridgepoint/ops/softmax.hpp>
#include <ridgepoint/ops/softmax_cross_entropy.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Returns memory of the calling thread for `elements` floats; null if T needs no conversion.
template <class T>
[[nodiscard]] float* floats_of(index_t elements) {
  struct tag;
  return std::same_as<T, bfloat16> ? thread_scratch_of<tag, float>(elements) : nullptr;
}
}  // namespace detail

template <cpu_backend On, cpu_element T>
void execute(const On& on, const softmax_args<T>& s) {
  const index_t part_rows = ceil_div(part_elements, std::max<index_t>(s.x.cols, 1)),
                parts = ceil_div(s.x.rows, part_rows);
  parallel_for(parts > 1 ? on.thread_count() : 1, parts, [&](index_t part) {
    const index_t begin = part * part_rows, end = (std::min)(s.x.rows, begin + part_rows);
    on.template call<kernels::softmax_chunk<T>>(s, begin, end, detail::floats_of<T>((end - begin) * s.x.cols));
  });
}
template <cpu_element T>
type_list<kernels::softmax_chunk<T>> kernels_of(const softmax_args<T>&);

template <cpu_backend On, cpu_element T>
void execute(const On& on, const binary_cross_entropy_args<T>& b) {
  const auto [loss, correct] = sum_parts<2>(on, b.size, part_elements, [&](index_t begin, index_t end) {
    return on.template call<kernels::binary_cross_entropy_chunk<T>>(b, begin, end);
  });
  b.state->loss = loss / static_cast<double>(b.size);
  b.state->correct = static_cast<std::uint32_t>(correct);
}
template <cpu_element T>
type_list<kernels::binary_cross_entropy_chunk<T>> kernels_of(const binary_cross_entropy_args<T>&);

template <cpu_backend On, cpu_element T>
void execute(const On& on, const mse_args<T>& m) {
  const auto [loss] = sum_parts<1>(on, m.size, part_elements, [&](index_t begin, index_t end) {
    return on.template call<kernels::mse_chunk<T>>(m, begin, end);
  });
  m.state->loss = loss / static_cast<double>(m.size);
  m.state->correct = 0;
}
template <cpu_element T>
type_list<kernels::mse_chunk<T>> kernels_of(const mse_args<T>&);

template <cpu_backend On, cpu_element T>
void execute(const On& on, const softmax_cross_entropy_args<T>& s) {
  const index_t rows = s.logits.rows, classes = s.logits.cols;
  const bool skips = s.ignored != no_label;
  const index_t ignored = skips ? std::count(s.labels, s.labels + rows, s.ignored) : 0;
  const auto divisor = static_cast<double>(std::max<index_t>(rows - ignored, 1));
  const auto weight = static_cast<compute_t<T>>(s.weight / divisor);
  const auto [loss, correct] =
      sum_parts<2>(on, rows, ceil_div(part_elements, classes), [&](index_t begin, index_t end) {
        return on.template call<kernels::softmax_cross_entropy_chunk<T>>(s, weight, begin, end,
                                                                         detail::floats_of<T>((end - begin) * classes));
      });
  s.state->loss = loss / divisor;
  s.state->correct = static_cast<std::uint32_t>(correct);
  s.state->ignored = static_cast<std::uint32_t>(ignored);
}
template <cpu_element T>
type_list<kernels::softmax_cross_entropy_chunk<T>> kernels_of(const softmax_cross_entropy_args<T>&);

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

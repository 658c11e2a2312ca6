// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/binary_cross_entropy.hpp>
#include <ridgepoint/ops/detection.hpp>
#include <ridgepoint/ops/mse.hpp>
#include <ridgepoint/ops/softmax.hpp>
#include <ridgepoint/ops/softmax_cross_entropy.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y(i, :) ← softmax(x(i, :)), one block per row.
template <class T>
void execute(cuda_context& on, const softmax_args<T>& s, void*) {
  if (s.x.rows != 0)
    on.launch(loss_kernels<T>::softmax, on.rows(s.x.rows, s.x.cols), s.x.rows, s.x.cols, s.x.data, s.x.row_stride,
              s.x.col_stride, s.y.data, s.y.row_stride, s.y.col_stride);
}

/// Returns the partial losses in the workspace of a call.
[[nodiscard]] inline loss_part* parts_in(void* workspace) noexcept { return static_cast<loss_part*>(workspace); }

/// state->loss ← Σ parts ÷ (divisor − ignored rows, at least 1), always summed in the same order; *ignored_rows,
/// unless null, ← the number of ignored rows.
inline void gather_loss(cuda_context& on, index_t parts, void* workspace, double divisor, std::uint32_t* ignored_rows,
                        step_state* state) {
  on.launch(untyped_kernels::gather_loss, {.threads = block_threads}, parts, parts_in(workspace), divisor, ignored_rows,
            state);
}

/// Returns the bytes of one partial loss per block.
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

/// Returns the bytes of one partial loss per block.
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

/// Returns the bytes of one partial loss per row, followed by the count of ignored rows.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context&, const softmax_cross_entropy_args<T>& s) {
  return (static_cast<std::size_t>(s.logits.rows) + 1) * sizeof(loss_part);
}
/// Each block computes the maximum, sum and gradient of its row in one kernel; then the loss is summed from its parts.
/// Ignored labels are counted first.
template <class T>
void execute(cuda_context& on, const softmax_cross_entropy_args<T>& s, void* workspace) {
  const index_t rows = s.logits.rows, classes = s.logits.cols;
  const bool ignores = s.ignored != no_label;
  auto* const ignored_rows = ignores ? &parts_in(workspace)[rows].ignored : nullptr;
  if (ignores)
    on.launch(untyped_kernels::count_ignored, {.threads = block_threads}, rows, s.labels, s.ignored, ignored_rows);
  on.launch(loss_kernels<T>::softmax_cross_entropy, on.rows(rows, classes), rows, classes, s.logits.data,
            s.logits.row_stride, s.labels, s.ignored, ignored_rows, s.weight, s.dlogits.data, s.dlogits.row_stride,
            parts_in(workspace));
  gather_loss(on, rows, workspace, static_cast<double>(rows), &s.state->ignored, s.state);
}

/// Returns the bytes of one partial loss per block.
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

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/loss_parts.hpp>
#include <ridgepoint/ops/softmax_cross_entropy.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A part of the loss for every row, and behind them how many rows are ignored.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context&, const softmax_cross_entropy_args<T>& s) {
  return (static_cast<std::size_t>(s.logits.rows) + 1) * sizeof(loss_part);
}
/// Rows by blocks, which find their maximum, their sum and their gradient in one go; then the loss from its parts.
/// Labels that are ignored are counted before.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

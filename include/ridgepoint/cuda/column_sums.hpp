// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/cuda/runtime/pieces.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A sum for every column and part of its rows, where there is more than one part.
template <class T>
struct column_sum_parts {
  pieces from;
  column_shape shape;
  compute_t<T>* data = nullptr;

  column_sum_parts(const cuda_context& on, index_t rows, index_t cols, void* workspace)
      : from(workspace), shape(on.columns(rows, std::max<index_t>(cols, 1))) {
    if (shape.parts > 1) data = from.take<compute_t<T>>(shape.parts * cols);
  }
};
template <class T>
[[nodiscard]] std::size_t column_sums_bytes(const cuda_context& on, index_t rows, index_t cols) {
  return column_sum_parts<T>(on, rows, cols, nullptr).from.bytes();
}
/// sums(j) ← Σ_i x(i, j) unless sums is null, tiles of columns by blocks that share their rows: the sums of parts, then
/// those of the parts, always in the same order. Requires: elements of a row are adjacent.
template <class T>
void column_sums(cuda_context& on, const matrix_view<const T>& x, T* sums, void* workspace) {
  if (sums == nullptr || x.cols == 0) return;
  using kernels = reduction_kernels<T>;
  const column_sum_parts<T> parts(on, x.rows, x.cols, workspace);
  const column_shape& shape = parts.shape;
  if (shape.parts == 1) {
    on.launch(kernels::column_sums, shape.threads, x.rows, x.cols, shape.width, x.row_stride, x.data, sums);
    return;
  }
  on.launch(kernels::column_sum_parts, shape.threads, x.rows, x.cols, shape.width, x.row_stride, x.data, parts.data);
  on.launch(kernels::sums_of_column_parts, shape.gathering(), shape.parts, x.cols, shape.width, parts.data, sums);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

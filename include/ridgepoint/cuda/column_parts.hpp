// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Bytes of two sums for every column and part of its rows.
template <class T>
[[nodiscard]] std::size_t column_parts_bytes(const column_shape& shape, index_t cols) {
  return 2 * static_cast<std::size_t>(shape.parts * cols) * sizeof(compute_t<T>);
}
template <class T>
[[nodiscard]] std::size_t column_parts_bytes(const cuda_context& on, index_t rows, index_t cols) {
  return column_parts_bytes<T>(on.columns(rows, cols), cols);
}
/// first(column) and, of the first `seconds` columns, second(column) ← the sums of their parts.
template <class T>
void gather_columns(cuda_context& on, const column_shape& shape, index_t cols, const compute_t<T>* parts, T* first,
                    T* second, index_t seconds) {
  on.launch(column_kernels<T>::gather_columns, shape.gathering(), cols, shape.width, shape.parts, parts, first, second,
            seconds);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

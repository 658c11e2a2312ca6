// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <type_traits>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Rows that a cell reads or writes: row i at data + i·ld. ld = 0 uses one row for all.
template <class T>
struct lines {
  T* data = nullptr;
  index_t ld = 0;
  /// Returns the rows from column j on.
  [[nodiscard]] constexpr lines from(index_t j) const noexcept { return {data + j, ld}; }
  /// Returns the rows from row i on.
  [[nodiscard]] constexpr lines below(index_t i) const noexcept { return {data + i * ld, ld}; }
  constexpr operator lines<const T>() const noexcept requires(!std::is_const_v<T>) { return {data, ld}; }
};

template <class T>
void fill_rows(index_t rows, index_t width, const lines<T>& out, T value) noexcept {
  for (index_t i = 0; i < rows; ++i) std::fill_n(out.data + i * out.ld, width, value);
}
template <class T>
void copy_rows(index_t rows, index_t width, const lines<const T>& from, const lines<T>& to) noexcept {
  for (index_t i = 0; i < rows; ++i) std::copy_n(from.data + i * from.ld, width, to.data + i * to.ld);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include <ridgepoint/core/shape.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A non-owning vector: data, size, step between elements.
template <class T>
struct vector_view {
  T* data = nullptr;
  index_t size = 0;
  index_t stride = 1;

  [[nodiscard]] constexpr T& operator[](index_t i) const noexcept { return data[i * stride]; }
  /// Converts a mutable view to a const one.
  constexpr operator vector_view<const T>() const noexcept requires(!std::is_const_v<T>) {
    return {data, size, stride};
  }
};

/// A type that converts to a matrix: anything with a matrix_of(x) in its namespace, such as a tensor, that returns a
/// matrix_view. A matrix_view itself is not one: it is a matrix already.
template <class X>
concept matrix_like = requires(X& x) {
  matrix_of(x);
};
/// The view that matrix_of() returns.
template <class X>
using matrix_of_t = decltype(matrix_of(std::declval<X&>()));

/// True if the elements outlive the object X: true of views.
template <class X>
inline constexpr bool is_view = false;

/// A non-owning matrix: element (i, j) is data[i·row_stride + j·col_stride].
///
/// Strides are in elements. Row-major has col_stride 1; transposed() swaps extents and strides and touches no data,
/// so every op takes Aᵀ as an ordinary view. The memory may belong to any backend: a view never reads it.
/// Example:
///   float data[6];
///   rp::matrix_view<float> a(data, 2, 3);                   // 2x3, row-major
///   auto at = a.transposed();                               // 3x2, at(j, i) is a(i, j)
template <class T>
struct matrix_view {
  T* data = nullptr;
  index_t rows = 0, cols = 0;
  index_t row_stride = 0, col_stride = 1;

  constexpr matrix_view() = default;
  constexpr matrix_view(T* data_, index_t rows_, index_t cols_) noexcept
      : data(data_), rows(rows_), cols(cols_), row_stride(cols_) {}
  constexpr matrix_view(T* data_, index_t rows_, index_t cols_, index_t row_stride_, index_t col_stride_ = 1) noexcept
      : data(data_), rows(rows_), cols(cols_), row_stride(row_stride_), col_stride(col_stride_) {}

  /// Views all of a tensor. Throws: as its matrix().
  template <class X>
    requires(matrix_like<std::remove_reference_t<X>>)
  constexpr matrix_view(X&& x) {
    using seen = matrix_of_t<std::remove_reference_t<X>>;
    constexpr bool kept = std::is_lvalue_reference_v<X>, same = std::is_convertible_v<seen, matrix_view<const T>>,
                   mutable_ = std::is_convertible_v<seen, matrix_view>;
    static_assert(kept, "matrix_view: of a temporary: keep the tensor in a variable");
    static_assert(!kept || same, "matrix_view: of a tensor of other elements: must be a view of the same");
    static_assert(!kept || !same || mutable_, "matrix_view: of a const tensor: must be a view of const elements");
    if constexpr (kept && mutable_) *this = matrix_of(x);
  }

  [[nodiscard]] constexpr T& operator()(index_t i, index_t j) const noexcept {
    return data[i * row_stride + j * col_stride];
  }
  [[nodiscard]] constexpr matrix_view transposed() const noexcept { return {data, cols, rows, col_stride, row_stride}; }
  /// Returns the block of `height` × `width` elements that starts at (i, j).
  [[nodiscard]] constexpr matrix_view block(index_t i, index_t j, index_t height, index_t width) const noexcept {
    return {data + i * row_stride + j * col_stride, height, width, row_stride, col_stride};
  }
  constexpr operator matrix_view<const T>() const noexcept requires(!std::is_const_v<T>) {
    return {data, rows, cols, row_stride, col_stride};
  }
};

template <class T>
inline constexpr bool is_view<vector_view<T>> = true;
template <class T>
inline constexpr bool is_view<matrix_view<T>> = true;

/// Formats as "3x4", with the strides unless row-major and dense: "3x4 (strides 8, 1)".
template <class T>
[[nodiscard]] std::string to_string(const matrix_view<T>& v) {
  const bool dense = v.col_stride == 1 && v.row_stride == v.cols;
  return dense ? concat(v.rows, 'x', v.cols)
               : concat(v.rows, 'x', v.cols, " (strides ", v.row_stride, ", ", v.col_stride, ')');
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

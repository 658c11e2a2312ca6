// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/view.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A row-major matrix somebody else owns, of extents that the compiler knows: element (i, j) is data[i·Ld + j].
///
/// Example:
///   float data[6];
///   rp::static_view<float, 2, 3> a(data);                   // a(1, 2) is data[5]
template <class T, index_t Rows, index_t Cols, index_t Ld = Cols>
struct static_view {
  static_assert(Rows >= 1 && Cols >= 1, "static_view: extents must be at least 1");
  static_assert(Ld >= Cols, "static_view: rows run into each other; the leading dimension must be at least Cols");
  static constexpr index_t rows = Rows, cols = Cols, row_stride = Ld;
  T* data = nullptr;

  constexpr static_view() = default;
  constexpr explicit static_view(T* data_) noexcept : data(data_) {}

  [[nodiscard]] constexpr T& operator()(index_t i, index_t j) const noexcept { return data[i * Ld + j]; }
  constexpr operator static_view<const T, Rows, Cols, Ld>() const noexcept requires(!std::is_const_v<T>) {
    return static_view<const T, Rows, Cols, Ld>(data);
  }
  constexpr operator matrix_view<T>() const noexcept { return {data, Rows, Cols, Ld}; }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

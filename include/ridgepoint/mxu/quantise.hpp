// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <ridgepoint/core/view.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// Symmetric int8: q = 127·x / largest, rounded to nearest even, where `largest` is the largest finite |x| of what
/// shares a step (a matrix or a column). So x ≈ q·step with step = largest / 127, and −128 is never used.
///
/// NaN becomes 0, ±Inf ±127: an int8 array has neither. Where all are 0 the step is 0, and so is q.
struct quantiser {
  double largest = 0;

  constexpr void see(float x) noexcept {
    const double size = x < 0 ? -static_cast<double>(x) : static_cast<double>(x);
    if (size <= 3.4028234663852886e38 && size > largest) largest = size;  // neither NaN nor Inf
  }
  [[nodiscard]] constexpr double step() const noexcept { return largest / 127; }
  [[nodiscard]] std::int8_t operator()(float x) const noexcept {
    if (std::isnan(x) || exactly(largest, 0)) return 0;
    return static_cast<std::int8_t>(
        std::clamp(std::nearbyint(static_cast<double>(x) * (127 / largest)), -127.0, 127.0));
  }
};

/// q ← v with one step for all of it, row-major without gaps. Activations enter the array so.
inline quantiser quantise_matrix(const matrix_view<const float>& v, std::int8_t* q) noexcept {
  quantiser all;
  for (index_t i = 0; i < v.rows; ++i)
    for (index_t j = 0; j < v.cols; ++j) all.see(v(i, j));
  for (index_t i = 0; i < v.rows; ++i)
    for (index_t j = 0; j < v.cols; ++j) *q++ = all(v(i, j));
  return all;
}

/// q ← v with a step for each column, row-major without gaps. Weights enter the array so: a column of the array holds
/// what makes one output.
inline void quantise_columns(const matrix_view<const float>& v, std::int8_t* q, quantiser* columns) noexcept {
  std::fill_n(columns, v.cols, quantiser{});
  for (index_t i = 0; i < v.rows; ++i)
    for (index_t j = 0; j < v.cols; ++j) columns[j].see(v(i, j));
  for (index_t i = 0; i < v.rows; ++i)
    for (index_t j = 0; j < v.cols; ++j) *q++ = columns[j](v(i, j));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

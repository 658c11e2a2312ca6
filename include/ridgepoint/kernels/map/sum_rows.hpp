// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/core/with_constant.hpp>
#include <ridgepoint/simd/lanes.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // numbers of registers and lanes are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {
/// Sums of `Registers` registers of columns from column j on; the last has n lanes.
template <int Registers, class T, class RowOf>
RIDGEPOINT_INLINE void sum_rows_strip(const RowOf& row_of, index_t first, index_t end, T* sums, index_t j,
                                      index_t n) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  std::array<simd::batch<T>, Registers> sum;
  sum.fill(simd::batch<T>(T(0)));
  for (index_t i = first; i < end; ++i) {
    const T* const row = row_of(i) + j;
    RIDGEPOINT_UNROLL
    for (int r = 0; r + 1 < Registers; ++r)
      sum[static_cast<std::size_t>(r)] = sum[static_cast<std::size_t>(r)] + simd::load(row + r * lanes);
    sum[Registers - 1] = sum[Registers - 1] + simd::load_partial(row + (Registers - 1) * lanes, n);
  }
  for (int r = 0; r + 1 < Registers; ++r) simd::store(sums + j + r * lanes, sum[static_cast<std::size_t>(r)]);
  simd::store_partial(sums + j + (Registers - 1) * lanes, sum[Registers - 1], n);
}
}  // namespace detail

/// sums(j) ← Σ row_of(i)[j] for i = first … end − 1, in this order, wherever the rows are.
template <class T, class RowOf>
void sum_rows(const RowOf& row_of, index_t first, index_t end, T* sums, index_t width) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  constexpr int most = 4;
  for (index_t j = 0; j < width; j += most * lanes) {
    const index_t columns = width - j < most * lanes ? width - j : most * lanes, registers = ceil_div(columns, lanes);
    with_constant<1, most>(registers, [&](auto count) {
      detail::sum_rows_strip<static_cast<int>(count)>(row_of, first, end, sums, j, columns - (count - 1) * lanes);
    });
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop

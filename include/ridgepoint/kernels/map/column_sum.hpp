// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/map/column_sum_kernels.hpp>
#include <ridgepoint/simd/batch.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // numbers of registers and lanes are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {

/// Sums `Registers` registers of columns from column j on; the last has n lanes.
template <int Registers, class T>
RIDGEPOINT_INLINE void column_sum_strip(const matrix_view<const T>& a, T* sums, index_t j, index_t n) noexcept {
  using number = compute_t<T>;
  using batch = simd::batch<number>;
  constexpr index_t lanes = simd::lanes<number>;
  constexpr index_t chunk = 64;  // rows per partial sum: error ~ chunk + rows/chunk
  std::array<batch, Registers> total;
  total.fill(batch(number(0)));
  for (index_t begin = 0; begin < a.rows; begin += chunk) {
    const index_t end = a.rows - begin < chunk ? a.rows : begin + chunk;
    std::array<batch, Registers> sum;
    sum.fill(batch(number(0)));
    for (index_t i = begin; i < end; ++i) {
      const T* row = a.data + i * a.row_stride + j;
      RIDGEPOINT_UNROLL
      for (int r = 0; r + 1 < Registers; ++r)
        sum[static_cast<std::size_t>(r)] = sum[static_cast<std::size_t>(r)] + simd::load(row + r * lanes);
      sum[Registers - 1] = sum[Registers - 1] + simd::load_partial(row + (Registers - 1) * lanes, n);
    }
    RIDGEPOINT_UNROLL
    for (std::size_t r = 0; r < Registers; ++r) total[r] = total[r] + sum[r];
  }
  for (int r = 0; r + 1 < Registers; ++r) simd::store(sums + j + r * lanes, total[static_cast<std::size_t>(r)]);
  simd::store_partial(sums + j + (Registers - 1) * lanes, total[Registers - 1], n);
}

}  // namespace detail

template <class T>
void column_sum<T>::run(const matrix_view<const T>& a, T* sums, index_t begin, index_t end) noexcept {
  constexpr index_t lanes = simd::lanes<compute_t<T>>;
  index_t j = begin;
  for (; j + 4 * lanes <= end; j += 4 * lanes) detail::column_sum_strip<4>(a, sums, j, lanes);
  for (; j < end; j += lanes) detail::column_sum_strip<1>(a, sums, j, end - j < lanes ? end - j : lanes);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop

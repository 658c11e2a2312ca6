// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/core/with_constant.hpp>
#include <ridgepoint/kernels/map/elementwise.hpp>
#include <ridgepoint/kernels/map/embedding_kernels.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/simd/lanes.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // numbers of registers and lanes are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {
/// Sums `Registers` registers of columns from column j on; the last has n lanes.
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

/// sums(j) ← Σ row_of(i)[j] for i = first … end − 1, in this order; rows may be anywhere in memory.
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

template <class T>
void clear_chunk<T>::run(T* dst, index_t size, stores how) noexcept {
  map_to<T, 0>({}, dst, size, how, detail::no_value<T>{});
}

template <class T>
void embedding_backward_part<T>::run(const embedding_backward_args<T>& a, index_t part, index_t parts) noexcept {
  constexpr index_t block = 8;
  for (index_t i = 0; i < a.tokens; ++i) {
    const index_t row = a.ids[i];
    if (row < 0 || row >= a.vocabulary || row / block % parts != part) continue;
    T* const sum = a.dtable + row * a.width;
    map<T, 2, 1>({sum, a.dy + i * a.width}, {sum}, a.width, detail::sum_of_two<T>{});
  }
}

template <class T>
void embedding_rows_chunk<T>::run(const embedding_rows_args<T>& a, const sorted_tokens& tokens, index_t begin,
                                  index_t end) noexcept {
  const auto dy_of = [&](index_t i) {
    constexpr index_t ahead = 8, line = 64 / static_cast<index_t>(sizeof(T));
    if (i + ahead < tokens.count)
      for (index_t j = 0; j < a.width; j += line)
        __builtin_prefetch(a.dy + tokens.sorted[i + ahead].position * a.width + j);
    return a.dy + tokens.sorted[i].position * a.width;
  };
  for (index_t k = begin; k < end; ++k)
    sum_rows<T>(dy_of, tokens.begins[k], tokens.begins[k + 1], a.sums + k * a.width, a.width);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/map/column_sum_kernels.hpp>
#include <ridgepoint/kernels/window/some_lanes.hpp>
#include <ridgepoint/simd/batch.hpp>

/// \file
/// Sums and maps over the columns of dense rows, each column with its own parameters. Only kernels may add moments:
/// compilers contract their products for instruction sets with FMA.

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // numbers of registers and lanes are ints

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

#pragma GCC diagnostic pop

namespace detail {
/// Calls use(first row, rows, width) for blocks of up to eight rows, for which a column's parameters stay in registers,
/// and for the rest.
template <class Use>
RIDGEPOINT_INLINE void for_row_blocks(const wide_rows& g, const Use& use) noexcept {
  for (index_t i = 0; i < g.rows; i += 8) use(i, std::min<index_t>(8, g.rows - i), g.width);
  if (g.rest > 0) use(g.rows, 1, g.rest);
}
/// Calls use(column, lanes) for registers of columns.
template <class T, class Use>
RIDGEPOINT_INLINE void for_columns(index_t width, const Use& use) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  index_t j = 0;
  for (; j + lanes <= width; j += lanes) use(j, all_lanes{});
  if (j < width) use(j, first_lanes{width - j});
}
}  // namespace detail

/// Sets N parameters of T for each column of wide rows, parameter by parameter, from of(channel), which returns N
/// doubles; they are rounded here.
template <std::size_t N, class T, class Of>
void set_parameters(T* parameters, const wide_rows& g, index_t channels, const Of& of) noexcept {
  for (index_t c = 0; c < channels; ++c) {
    const std::array<double, N> values = of(c);
    for (std::size_t p = 0; p < N; ++p) parameters[static_cast<index_t>(p) * g.width + c] = static_cast<T>(values[p]);
  }
  for (std::size_t p = 0; p < N; ++p) {
    T* const row = parameters + static_cast<index_t>(p) * g.width;
    for (index_t j = channels; j < g.width; ++j) row[j] = row[j - channels];
  }
}

/// out(i, j) ← formula(parameters(j), in(i, j)…); out may be an input. Parameters have the layout of set_parameters().
template <std::size_t Parameters, class T, std::size_t Ins, class Formula>
RIDGEPOINT_INLINE void map_columns(const std::array<const T*, Ins>& in, const T* parameters, T* out, const wide_rows& g,
                                   const Formula& formula) noexcept {
  using batch = simd::batch<T>;
  detail::for_row_blocks(g, [&](index_t first, index_t rows, index_t width) RIDGEPOINT_INLINE_LAMBDA {
    detail::for_columns<T>(width, [&](index_t j, auto some) RIDGEPOINT_INLINE_LAMBDA {
      std::array<batch, Parameters> of_column;
      for (std::size_t p = 0; p < Parameters; ++p)
        of_column[p] = some.load(parameters + static_cast<index_t>(p) * g.width + j);
      for (index_t i = 0; i < rows; ++i) {
        const index_t at = (first + i) * g.width + j;
        std::array<batch, Ins> x;
        for (std::size_t k = 0; k < Ins; ++k) x[k] = some.load(in[k] + at);
        some.store(out + at, formula(of_column, x));
      }
    });
  });
}

/// sums(j) ← sums(j) + Σ_i u, products(j) ← products(j) + Σ_i u·(x(i, j) − centre(j)), where u is dy(i, j) or, without
/// a dy, the other factor.
template <bool WithDy, class T>
void centred_sums(const T* x, const T* dy, const T* centre, const wide_rows& g, T* sums, T* products) noexcept {
  using batch = simd::batch<T>;
  detail::for_row_blocks(g, [&](index_t first, index_t rows, index_t width) RIDGEPOINT_INLINE_LAMBDA {
    detail::for_columns<T>(width, [&](index_t j, auto some) RIDGEPOINT_INLINE_LAMBDA {
      const batch mean = some.load(centre + j);
      batch sum = some.load(sums + j), product = some.load(products + j);
      for (index_t i = 0; i < rows; ++i) {
        const index_t at = (first + i) * g.width + j;
        const batch d = some.load(x + at) - mean;
        batch u = d;
        if constexpr (WithDy) u = some.load(dy + at);
        sum = sum + u;
        product = simd::fma(u, d, product);
      }
      some.store(sums + j, sum);
      some.store(products + j, product);
    });
  });
}

/// sums(j) ← Σ_i rows(i, j) + β·sums(j) for a β of 0 or 1, eight rows at a time.
template <class T>
void add_columns(const matrix_view<const T>& rows, T beta, T* sums) noexcept {
  using vec = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>, chains = 8;
  for (index_t j = 0; j < rows.cols; j += lanes) {
    const index_t count = (std::min)(lanes, rows.cols - j);
    vec sum[chains];
    RIDGEPOINT_UNROLL
    for (index_t q = 0; q < chains; ++q) sum[q] = vec(T(0));
    const T* from = rows.data + j;
    const auto add = [&](auto load) RIDGEPOINT_INLINE_LAMBDA {
      index_t i = 0;
      for (; i + chains <= rows.rows; i += chains) {
        RIDGEPOINT_UNROLL
        for (index_t q = 0; q < chains; ++q, from += rows.row_stride) sum[q] = sum[q] + load(from);
      }
      for (; i < rows.rows; ++i, from += rows.row_stride) sum[0] = sum[0] + load(from);
    };
    if (count == lanes) add([](const T* p) RIDGEPOINT_INLINE_LAMBDA { return simd::load(p); });
    else add([=](const T* p) RIDGEPOINT_INLINE_LAMBDA { return simd::load_partial(p, count); });
    RIDGEPOINT_UNROLL
    for (index_t stride = 1; stride < chains; stride *= 2) {
      RIDGEPOINT_UNROLL
      for (index_t q = 0; q + stride < chains; q += 2 * stride) sum[q] = sum[q] + sum[q + stride];
    }
    if (!exactly(beta, T(0))) sum[0] = sum[0] + simd::load_partial(sums + j, count);  // last: it is the largest
    simd::store_partial(sums + j, sum[0], count);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

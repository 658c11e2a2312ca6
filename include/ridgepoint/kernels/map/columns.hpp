// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/kernels/map/column_sums.hpp>
#include <ridgepoint/kernels/window/some_lanes.hpp>

/// Maps and sums over the columns of dense rows; each column has its own parameters.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/kernels/gemm/macrokernel.hpp>
#include <ridgepoint/kernels/recurrent/map_rows.hpp>
#include <ridgepoint/kernels/recurrent/recurrent_kernels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// How far ahead of the first tile that reads them packed weights are fetched: those of a layer seldom stay in L2.
template <class T>
inline constexpr index_t fetched_weights = 4096 / static_cast<index_t>(sizeof(T));

/// A panel of weights, in L1 or L2, serves all tiles of a.
template <class T>
void times_panels<T>::run(const panel_product<T>& p) noexcept {
  constexpr index_t nr = panel_width<T>(native_unit), copies = a_block<T>::copies;
  const auto split = tile_split::of(p.a.rows, native_unit);
  const a_block<T> a =
      p.packed_a == nullptr
          ? a_block<T>{.data = p.a.data, .per_row = p.a.row_stride, .row = p.a.row_stride, .step = 1}
          : a_block<T>{.data = p.packed_a, .per_row = p.a.cols * copies, .row = copies, .step = 0, .packed = true};
  tile_epilogue<T> epilogue{.beta = p.beta, .bias = p.bias};
  const T* weights = p.weights;
  T* c = p.c;
  for (index_t unit = 0; unit < p.columns; unit += nr)
    for (index_t k = 0; k < p.gates; ++k, weights += p.panel, c += nr) {
      block_times_panels<T>(a, split, {weights, p.panel, nr, fetched_weights<T>}, (std::min)(nr, p.columns - unit),
                            p.a.cols, c, p.ldc, epilogue);
      if (epilogue.bias != nullptr) epilogue.bias += nr;
    }
}

template <class T>
void pack_rows<T>::run(const matrix_view<const T>& a, T* to) noexcept {
  static_cast<void>(a_block<T>::of(a, tile_split::of(a.rows, native_unit), to));
}

template <class T>
void pack_gates<T>::run(const matrix_view<const T>& weights, index_t gates, index_t panel, T* to) noexcept {
  constexpr index_t nr = panel_width<T>(native_unit);
  const index_t units = weights.cols / gates;
  for (index_t k = 0; k < gates; ++k)
    for (index_t unit = 0; unit < units; unit += nr)
      pack_b_panel<T>(weights.block(0, k * units + unit, weights.rows, (std::min)(nr, units - unit)),
                      to + (unit / nr * gates + k) * panel);
}

template <class T>
void add_gate_biases<T>::run(const T* bias, index_t gates, index_t units, index_t width, T* to) noexcept {
  for (index_t first = 0; first < units; first += width)
    for (index_t k = 0; k < gates; ++k, to += width)
      for (index_t u = 0; u < (std::min)(width, units - first); ++u) to[u] += bias[k * units + first + u];
}

template <class T>
void add_rows<T>::run(index_t rows, index_t width, const lines<const T>& a, const lines<const T>& b, const lines<T>& to,
                      const lines<T>& copy) noexcept {
  map_rows(rows, width, std::array{a, b}, std::array{to, copy},
           [](simd::batch<T> x, simd::batch<T> y) RIDGEPOINT_INLINE_LAMBDA {
             const simd::batch<T> sum = x + y;
             return std::array{sum, sum};
           });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

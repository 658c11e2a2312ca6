// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>
#include <utility>

#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// out[i][j] ← Σ_p a_i[p]·b_j[p] for Rows rows of A and Cols columns of B, both contiguous in p.
///
/// Vectors run along the depth, so nothing is wasted on a narrow C: Rows·Cols accumulators for Rows + Cols loads a
/// step, folded into scalars once at the end. Twelve accumulators fill two FMA pipes and sixteen registers.
/// Work: 2·Rows·Cols·k FLOP.
template <class T, int Rows, int Cols>
RIDGEPOINT_NOINLINE void dot_tile(index_t k, const T* a, index_t a_ld, const T* b, index_t b_ld, T* out) noexcept {
  using vec = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  vec acc[Rows * Cols];
  RIDGEPOINT_UNROLL
  for (int i = 0; i < Rows * Cols; ++i) acc[i] = vec(T(0));
  index_t p = 0;
  for (; p + lanes <= k; p += lanes) {
    vec ap[Rows];
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Rows; ++i) ap[i] = simd::load(a + i * a_ld + p);
    RIDGEPOINT_UNROLL
    for (int j = 0; j < Cols; ++j) {
      const vec bp = simd::load(b + j * b_ld + p);
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Rows; ++i) acc[i * Cols + j] = simd::fma(ap[i], bp, acc[i * Cols + j]);
    }
  }
  if (p < k) {
    vec ap[Rows];
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Rows; ++i) ap[i] = simd::load_partial(a + i * a_ld + p, k - p);
    RIDGEPOINT_UNROLL
    for (int j = 0; j < Cols; ++j) {
      const vec bp = simd::load_partial(b + j * b_ld + p, k - p);
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Rows; ++i) acc[i * Cols + j] = simd::fma(ap[i], bp, acc[i * Cols + j]);
    }
  }
  simd::sums(acc, out);
}

/// Most columns one dot_tile takes; wider B is cut into equal groups.
inline constexpr index_t dot_columns = 6;

/// store(i, j, count, products) for m rows a_i = a + i·a_ld and n columns b_j = b + j·b_ld, contiguous in p:
/// `count` adjacent elements of row i from column j on.
template <class T, class Store>
void dot_block(index_t m, index_t n, index_t k, const T* a, index_t a_ld, const T* b, index_t b_ld,
               Store&& store) noexcept {
  const auto group = [&]<int Cols>(index_t j, std::integral_constant<int, Cols> cols) {
    constexpr int most = Cols == 1 ? 8 : Cols <= 3 ? 4 : 2;  // rows
    const tile_split split = tile_split::of(m, most);
    index_t i = 0;
    const auto rows_of = [&]<int Rows>() {
      T out[Rows * Cols];
      dot_tile<T, Rows, Cols>(k, a + i * a_ld, a_ld, b + j * b_ld, b_ld, out);
      for (int r = 0; r < Rows; ++r) store(i + r, j, cols, out + r * Cols);
      i += Rows;
    };
    for (index_t q = 0; q < split.tiles; ++q) {
      const index_t rows = q < split.tall ? split.rows : split.rows - 1;
      [&]<int... Row>(std::integer_sequence<int, Row...>) {
        static_cast<void>(((rows == Row + 1 ? (rows_of.template operator()<Row + 1>(), true) : false) || ...));
      }
      (std::make_integer_sequence<int, most>{});
    }
  };
  const index_t groups = ceil_div(n, dot_columns);
  for (index_t g = 0, j = 0; g < groups; ++g) {
    const index_t cols = ceil_div(n - j, groups - g);
    switch (cols) {
      case 1:
        group(j, std::integral_constant<int, 1>{});
        break;
      case 2:
        group(j, std::integral_constant<int, 2>{});
        break;
      case 3:
        group(j, std::integral_constant<int, 3>{});
        break;
      case 4:
        group(j, std::integral_constant<int, 4>{});
        break;
      case 5:
        group(j, std::integral_constant<int, 5>{});
        break;
      default:
        group(j, std::integral_constant<int, 6>{});
        break;
    }
    j += cols;
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

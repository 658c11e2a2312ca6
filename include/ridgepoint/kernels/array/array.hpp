// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/array/array_kernels.hpp>
#include <ridgepoint/kernels/native_unit.hpp>
#include <ridgepoint/kernels/probe/probe.hpp>
#include <ridgepoint/ops/geometry.hpp>
#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Writes row r of the im2col matrix of a convolution group whose first channel is x's: for output r of n·oh·ow, the
/// kh·kw·c inputs its window covers, zero in the padding. y = im2col(x)·w with w as (kh·kw·c)×f, c and f per group.
template <class E>
void im2col_row(const conv2d_geometry& g, const E* x, index_t r, E* row) noexcept {
  const window_axis rows = g.rows(), cols = g.columns();
  const index_t ow = g.ow(), oh = g.oh(), o_w = r % ow, o_h = r / ow % oh, n = r / (ow * oh);
  for (index_t kh = 0; kh < g.kh; ++kh)
    for (index_t kw = 0; kw < g.kw; ++kw, row += g.group_c()) {
      const index_t h = rows.input(o_h, kh), w = cols.input(o_w, kw);
      if (rows.inside(h) && cols.inside(w)) std::copy_n(x + ((n * g.h + h) * g.w + w) * g.c, g.group_c(), row);
      else std::fill_n(row, g.group_c(), E(0));
    }
}

namespace detail {
/// Returns the output whose tap `tap` reads `input`, or −1.
[[nodiscard]] constexpr index_t output_reading(const window_axis& a, index_t input, index_t tap) noexcept {
  const index_t at = input + a.before - tap * a.dilation;
  return at >= 0 && at % a.stride == 0 && at / a.stride < a.outputs() ? at / a.stride : -1;
}
}  // namespace detail

/// Row r of the matrix for the gradient of a group of x, whose first output channel is dy's: for input r of n·h·w, the
/// kh·kw·f gradients of the outputs that read it through each tap, zero for missing outputs. dx = row·wᵀ with wᵀ as
/// (kh·kw·f)×c.
template <class E>
void output_row(const conv2d_geometry& g, const E* dy, index_t r, E* row) noexcept {
  const window_axis rows = g.rows(), cols = g.columns();
  const index_t w = r % g.w, h = r / g.w % g.h, n = r / (g.w * g.h), ow = g.ow(), oh = g.oh();
  for (index_t kh = 0; kh < g.kh; ++kh)
    for (index_t kw = 0; kw < g.kw; ++kw, row += g.group_f()) {
      const index_t o_h = detail::output_reading(rows, h, kh), o_w = detail::output_reading(cols, w, kw);
      if (o_h >= 0 && o_w >= 0) std::copy_n(dy + ((n * oh + o_h) * ow + o_w) * g.f, g.group_f(), row);
      else std::fill_n(row, g.group_f(), E(0));
    }
}

/// Filter of a group, from its first column on, with c and f swapped: (kh, kw, c, f) → (kh, kw, f, c).
template <class E>
void swap_channels(const conv2d_geometry& g, const E* w, E* swapped) noexcept {
  for (index_t tap = 0; tap < g.kh * g.kw; ++tap)
    for (index_t f = 0; f < g.group_f(); ++f)
      for (index_t c = 0; c < g.group_c(); ++c) *swapped++ = w[(tap * g.group_c() + c) * g.f + f];
}

/// Converts a value to the array's format, held in a float: bf16 rounded, int8 exact.
template <array_format Format>
[[nodiscard]] RIDGEPOINT_INLINE float enter_array(array_operand_t<Format> x) noexcept {
  return static_cast<float>(Format(x));
}

template <array_format Format>
RIDGEPOINT_NOINLINE void array_pack<Format>::run(const matrix_view<const array_operand_t<Format>>& v, index_t pitch,
                                                 float* dst) noexcept {
  if (v.row_stride == 1 && v.col_stride != 1) {  // read along the contiguous direction
    for (index_t j = 0; j < v.cols; ++j)
      for (index_t p = 0; p < v.rows; ++p) dst[p * pitch + j] = enter_array<Format>(v.data[j * v.col_stride + p]);
  } else if (v.col_stride == 1) {
    for (index_t p = 0; p < v.rows; ++p)
      for (index_t j = 0; j < v.cols; ++j) dst[p * pitch + j] = enter_array<Format>(v.data[p * v.row_stride + j]);
  } else {
    for (index_t p = 0; p < v.rows; ++p)
      for (index_t j = 0; j < v.cols; ++j) dst[p * pitch + j] = enter_array<Format>(v(p, j));
  }
  for (index_t p = 0; v.cols < pitch && p < v.rows; ++p)
    for (index_t j = v.cols; j < pitch; ++j) dst[p * pitch + j] = 0.0F;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

/// Partial sums of one fold: tile(i, j) ← ((0 + a(0, i)·b(0, j)) + a(1, i)·b(1, j)) + … for depth terms.
///
/// All lanes add in the array's order. Work: 2·Mr·nr·depth FLOP as a multiplication and an addition each.
/// Layout: a packed as depth columns of Mr values, b as depth rows of nr = Nv·lanes values, tile Mr×nr.
template <int Mr, int Nv>
RIDGEPOINT_NOINLINE void fold_tile(index_t depth, const float* a, const float* b, float* tile) noexcept {
  using vec = simd::batch<float>;
  constexpr int lanes = simd::lanes<float>;
  vec sum[Mr][Nv];
  RIDGEPOINT_UNROLL
  for (int i = 0; i < Mr; ++i) {
    RIDGEPOINT_UNROLL
    for (int j = 0; j < Nv; ++j) sum[i][j] = vec(0.0F);
  }
  for (index_t p = 0; p < depth; ++p, a += Mr, b += Nv * lanes) {
    vec bp[Nv];
    RIDGEPOINT_UNROLL
    for (int j = 0; j < Nv; ++j) bp[j] = simd::load(b + j * lanes);
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Mr; ++i) {
      const vec ai(a[i]);
      RIDGEPOINT_UNROLL
      for (int j = 0; j < Nv; ++j) {
        vec product = ai * bp[j];
        keep<float>(product);  // else compilers may fuse it with the addition
        sum[i][j] = sum[i][j] + product;
      }
    }
  }
  RIDGEPOINT_UNROLL
  for (int i = 0; i < Mr; ++i) {
    RIDGEPOINT_UNROLL
    for (int j = 0; j < Nv; ++j) simd::store(tile + (i * Nv + j) * lanes, sum[i][j]);
  }
}

/// Whether a fold is the first of a sum or a further one.
enum class fold { first, further };

/// c ← tile, or c ← c + tile: the operation of the accumulators below the array. int32 sums wrap.
inline void accumulate_tile(const float* tile, index_t rows, index_t cols, index_t ld, fold which, float* c,
                            index_t ldc) noexcept {
  for (index_t i = 0; i < rows; ++i, tile += ld, c += ldc)
    for (index_t j = 0; j < cols; ++j) c[j] = which == fold::first ? tile[j] : c[j] + tile[j];
}
inline void accumulate_tile(const float* tile, index_t rows, index_t cols, index_t ld, fold which, std::int32_t* c,
                            index_t ldc) noexcept {
  for (index_t i = 0; i < rows; ++i, tile += ld, c += ldc)
    for (index_t j = 0; j < cols; ++j) {
      const auto added = static_cast<std::uint32_t>(static_cast<std::int32_t>(tile[j]));  // exact: |tile| ≤ 2²⁴
      c[j] = static_cast<std::int32_t>(which == fold::first ? added : static_cast<std::uint32_t>(c[j]) + added);
    }
}

template <array_format Format>
void array_block<Format>::run(const array_gemm_args<Format>& g, const float* b, float* a) noexcept {
  constexpr int mr = tile_rows(native_unit);
  constexpr index_t nr = panel_width<float>(native_unit);
  const index_t height = g.c.rows, width = g.c.cols, k = g.a.cols;
  alignas(alignment_bytes) float tile[mr * nr];
  for (index_t i = 0; i < height; i += mr)
    array_pack<Format>::run(g.a.block(i, 0, std::min<index_t>(mr, height - i), k).transposed(), mr, a + i * k);
  for (index_t p = 0; p < k; p += g.depth) {
    const index_t depth = (std::min)(g.depth, k - p);
    for (index_t j = 0; j < width; j += nr)
      for (index_t i = 0; i < height; i += mr) {
        fold_tile<mr, tile_vectors>(depth, a + i * k + p * mr, b + j * k + p * nr, tile);
        accumulate_tile(tile, std::min<index_t>(mr, height - i), (std::min)(nr, width - j), nr,
                        p == 0 && !g.accumulate ? fold::first : fold::further, &g.c(i, j), g.c.row_stride);
      }
  }
}

#pragma GCC diagnostic pop

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

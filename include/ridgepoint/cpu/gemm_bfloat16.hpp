// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/kernels/map/convert.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

/// Extents of the blocks that a product of bfloat16 is made of. One is 128·256 floats of C, and of A and B as much as
/// 256 of the depth: 640 KiB with the gaps, a few times a core's share of the caches, each element of B converted once
/// for 128 rows and each of A once for 256 columns. They depend on nothing, so neither do the bits of the result.
struct stored_block {
  static constexpr index_t rows = 128, cols = 256, depth = 256;
  static constexpr index_t gap = 16;  // of floats between lines, so that they lie in different sets of the caches
};

/// v as floats at `to`, in the order in which it is stored: adjacent elements stay adjacent.
template <class T>
[[nodiscard]] matrix_view<float> as_floats(const matrix_view<T>& v, float* to) noexcept {
  if (v.col_stride != 1 && v.row_stride == 1) return as_floats(v.transposed(), to).transposed();
  const matrix_view<float> floats(to, v.rows, v.cols, v.cols + stored_block::gap);
  for (index_t i = 0; i < v.rows; ++i) {
    if (v.col_stride == 1) {
      kernels::convert(v.data + i * v.row_stride, &floats(i, 0), v.cols);
    } else {
      for (index_t j = 0; j < v.cols; ++j) floats(i, j) = static_cast<float>(v(i, j));
    }
  }
  return floats;
}
/// v ← floats, rounded.
inline void store(const matrix_view<const float>& floats, const matrix_view<bfloat16>& v) noexcept {
  for (index_t i = 0; i < v.rows; ++i) {
    if (v.col_stride == 1) {
      kernels::convert(&floats(i, 0), v.data + i * v.row_stride, v.cols);
    } else {
      for (index_t j = 0; j < v.cols; ++j) v(i, j) = bfloat16(floats(i, j));
    }
  }
}

/// One block of C: in floats from the first part of the depth to the last, then stored.
inline void run_stored_block(const gemm_args<bfloat16>& g) {
  struct tag;
  using block = stored_block;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols, depth = std::min(k, block::depth);
  // A and B may be stored by lines along either extent.
  const index_t a_size = std::max(m * (depth + block::gap), depth * (m + block::gap)),
                b_size = std::max(n * (depth + block::gap), depth * (n + block::gap)), c_size = m * (n + block::gap);
  auto* const memory =
      static_cast<float*>(thread_scratch<tag>(static_cast<std::size_t>(a_size + b_size + c_size + n) * sizeof(float)));
  float *const a_memory = memory, *const b_memory = a_memory + a_size, *const c_memory = b_memory + b_size,
               *const bias = c_memory + c_size;
  const auto& [alpha, beta, stored_bias, act] = g.options;
  if (stored_bias != nullptr) kernels::convert(stored_bias, bias, n);
  const matrix_view<float> c =
      beta == 0 ? matrix_view<float>(c_memory, m, n, n + block::gap) : as_floats(g.c, c_memory);
  index_t p = 0;
  do {
    const index_t part = std::min(block::depth, k - p);
    const bool last = p + part == k;
    execute(native_cpu(1), gemm_args<float>{.a = as_floats(g.a.block(0, p, m, part), a_memory),
                                            .b = as_floats(g.b.block(p, 0, part, n), b_memory),
                                            .c = c,
                                            .options = {.alpha = alpha,
                                                        .beta = p == 0 ? beta : 1.0F,
                                                        .bias = last && stored_bias != nullptr ? bias : nullptr,
                                                        .act = last ? act : activation::none}});
    p += part;
  } while (p < k);
  store(c, g.c);
}

}  // namespace detail

/// C ← f(α·A·B + β·C + bias) stored in bfloat16: blocks of the operands become floats on the way into the kernels of
/// f32, a block of C stays in floats until it is finished. Memory beside the operands is that of a block for each
/// thread.
///
/// Where the CPU multiplies bfloat16 itself (vdpbf16ps of AVX512-BF16: two multiply-adds a lane, denormals taken as 0,
/// sums rounded unlike an FMA's), run_stored_block() is the place to pack a block in pairs of the depth instead, for a
/// register tile of its own; there is none yet.
inline void execute(const native_cpu& on, const gemm_args<bfloat16>& g) {
  using block = detail::stored_block;
  const index_t m = g.c.rows, n = g.c.cols, across = ceil_div(n, block::cols);
  if (m == 0 || n == 0) return;
  parallel_for(on.thread_count(), ceil_div(m, block::rows) * across, [&](index_t part) {
    const index_t i = part / across * block::rows, j = part % across * block::cols;
    detail::run_stored_block(detail::block(g, i, j, std::min(block::rows, m - i), std::min(block::cols, n - j)));
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

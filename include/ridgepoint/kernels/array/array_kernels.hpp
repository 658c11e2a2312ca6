// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/array_gemm.hpp>

/// \file
/// Kernels of array products, in register tiles shaped like GEMM's. A product is rounded before it is added, so it
/// takes its own register: 6×2 is 12 sums + 2 of B + 1 of A + 1 product; 14×2 is 28 + 2 + 1 + 1.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Packs `v` (steps × width) as rows of `pitch` values, converted to the array's format; columns from width on are
/// zero. Packs both operands of a product: B as it is, A transposed.
template <array_format Format>
struct array_pack {
  static constexpr auto id = kernel_id<Format>("array_pack");
  static void run(const matrix_view<const array_operand_t<Format>>& v, index_t pitch, float* dst) noexcept;
};

/// Computes the rows and columns of C in `g`, with B packed in consecutive panels at b; `a` holds k values of each row,
/// rounded up to tiles.
template <array_format Format>
struct array_block {
  static constexpr auto id = kernel_id<Format>("array_block");
  static void run(const array_gemm_args<Format>& g, const float* b, float* a) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/array/array.hpp>
#endif

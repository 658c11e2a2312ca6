// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>

#include <ridgepoint/core/float16.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/gemm.hpp>

/// \file
/// Kernels of bfloat16 products: block conversions, for products computed in floats, and blocks computed in pairs of
/// adjacent depth, with vdpbf16ps (AVX512-BF16) or on the tiles of AMX.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Rows of A and columns of B in one tile. A sum of latency 6, up to two a cycle (Zen 5), needs 12 in flight: 14×2
/// registers are 28, plus two of B and one of A.
struct pair_tile {
  static constexpr int rows = 14, cols = 32, lanes = 16;
};

/// A tile of AMX: 16 rows of 64 bytes, which are 32 steps of the depth in A, 16 columns of pairs in B, 16 sums in C. A
/// block of 2×2 tiles of C loads four tiles for four products.
struct amx_tile {
  static constexpr int rows = 16, depth = 32, block_rows = 2 * rows, elements = rows * depth;
};

/// Instructions that multiply pairs: vdpbf16ps on registers, tdpbf16ps on tiles.
enum class pair_unit { registers, tiles };

/// Rows of C that one run of a unit computes.
[[nodiscard]] constexpr index_t rows_of(pair_unit unit) noexcept {
  return unit == pair_unit::tiles ? amx_tile::block_rows : pair_tile::rows;
}
/// Steps of the depth that one instruction takes. Packed operands are padded with 0 to a multiple of it.
[[nodiscard]] constexpr index_t depth_of(pair_unit unit) noexcept {
  return unit == pair_unit::tiles ? amx_tile::depth : 2;
}

/// Source of B of a tile: panels of pack_pairs(), or rows of adjacent columns in place, interleaved in registers.
enum class pair_source { panel, rows };

/// Elements of `depth` steps of `width` lines in pairs.
[[nodiscard]] constexpr index_t packed_pairs(pair_unit unit, index_t depth, index_t width) noexcept {
  return round_up(depth, depth_of(unit)) * width;
}

/// Whether the kernels of an instruction set can multiply in pairs, given a CPU with AVX512-BF16 or AMX.
[[nodiscard]] constexpr bool multiplies_pairs(vector_unit v) noexcept { return v.width_bytes == 64; }

/// Schedule of a product computed in pairs. Tiles begin at multiples of their extents, and the parts of the depth
/// depend only on the depth, so blocks may depend on the number of threads without changing the bits of the result.
struct pair_schedule {
  pair_unit unit = {};
  bool transposed = false;                                            // Cᵀ = Bᵀ·Aᵀ, through views only
  bool packs_a = false;                                               // else rows of A are read in place
  pair_source b = {};                                                 // panels, else rows of B are read in place
  index_t height = 0, width = 0;                                      // of the blocks of C that threads compute
  index_t group = 0;                                                  // columns of C computed in sequence
  index_t depth = 0;                                                  // of the parts that are summed in sequence
  std::size_t shared_b_bytes = 0;                                     // panels of a group that all blocks read
  std::size_t sums_bytes = 0, a_bytes = 0, b_bytes = 0, workers = 0;  // pieces of each worker's memory

  [[nodiscard]] constexpr std::size_t worker_bytes() const noexcept { return sums_bytes + a_bytes + b_bytes; }
  [[nodiscard]] constexpr std::size_t workspace_bytes() const noexcept {
    return shared_b_bytes + workers * worker_bytes();
  }
};

/// Panel `panel` of B from depth p on.
[[nodiscard]] inline matrix_view<const bfloat16> pair_panel(const matrix_view<const bfloat16>& b, index_t panel,
                                                            index_t p, index_t depth) noexcept {
  constexpr index_t cols = pair_tile::cols;
  return b.block(p, panel * cols, depth, (std::min)(cols, b.cols - panel * cols));
}

/// Computes one block of C. `packed`, if given, is its first panel of B; memory holds s.worker_bytes().
/// Requires, like gemm_pack_pair_panel: a CPU with AVX512-BF16, or AMX, and AVX-512 kernels.
template <std::same_as<bfloat16> T>
struct gemm_pair_block {
  static constexpr auto id = kernel_id<T>("gemm_pair_block");
  static void run(const pair_schedule& s, const gemm_args<T>& g, const T* packed, std::byte* memory) noexcept;
};
/// Packs a panel of B in pairs.
template <std::same_as<bfloat16> T>
struct gemm_pack_pair_panel {
  static constexpr auto id = kernel_id<T>("gemm_pack_pair_panel");
  static void run(pair_unit unit, const matrix_view<const T>& panel, T* to) noexcept;
};

/// to(i, j) ← from(i, j), rounded to nearest even where `to` is bfloat16.
template <class To, class From>
struct convert_block {
  static constexpr auto id = kernel_id<To, From>("convert_block");
  static void run(const matrix_view<const From>& from, const matrix_view<To>& to) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/gemm/bfloat16.hpp>
#endif

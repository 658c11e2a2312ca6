// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/kernel.hpp>

/// \file
/// Plain data of register tiles: a run of them, and a small product as a few runs.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// What happens to a register tile when it leaves the registers: c ← f(α·acc + β·c + bias).
template <class T>
struct tile_epilogue {
  T alpha = T(1), beta = T(0);
  const T* bias = nullptr;  // one value per column of the first tile, or none
  bool relu = false;
  bool streams = false;  // past the caches: β = 0, rows of C are whole vectors on their boundary
};

/// Whether a store of part of a register costs what a whole one does: AVX-512's, while AVX's take tens of cycles on
/// AMD's CPUs.
[[nodiscard]] constexpr bool stores_parts(vector_unit v) noexcept { return v.width_bytes > 32; }

/// How a tile leaves the registers.
enum class tile_exit : unsigned char {
  direct,    // vectors to C, the last one whole or stored in part: everything is applied in registers
  narrow,    // one vector of fewer columns, without bias and relu
  finished,  // by finish_tile(): everything else
};

/// Where the rows of A, or those of B, go on elsewhere: after k steps in depth one of the two begins anew, while the
/// other goes on; and the lower half of the rows of a tall tile of A may lie apart from the upper.
struct depth_segments {
  index_t count = 1;
  const index_t* offsets = nullptr;  // of all but the first, in elements from that
  index_t gap = 0;                   // elements more between the halves
  bool of_b = false;
};

/// A run of register tiles: all but where the first finds its operands. Strides are in elements; A may be row-major,
/// transposed or packed: element (i, p) of a tile is a[i·a_row + p·a_step]. Tiles follow each other down the rows of C
/// (a_tile, c_tile lead to the next rows, b_tile is 0) or along its columns (b_tile, c_tile lead to the next panel,
/// a_tile is 0).
template <class T>
struct tile_run {
  index_t tiles = 0, k = 0;
  index_t a_tile = 0, a_row = 0, a_step = 0;
  depth_segments segments = {};    // each of k steps
  index_t b_tile = 0, b_step = 0;  // row p of B at b + p·b_step
  index_t c_tile = 0, ldc = 0;
  const T* a_after = nullptr;  // rows behind those of the first tile: fetched while theirs are read for the last time
  const T* c_after = nullptr;  // where the tiles after this run write, fetched with the last one
  index_t last_at = 0, last = 0;  // of the last vector: its column, (Nv − 1)·lanes or less; columns stored, 1 … lanes
  index_t whole_b = 0;            // of small_tile(): steps in depth whose row of B may be read as a whole vector
  index_t fetch_b = 0;            // elements ahead of b that are fetched, 0 none: for widest_tile() only
  index_t fetch_a = 0;            // the same of a, beside those: where there are 32 registers
  tile_epilogue<T> epilogue = {};
  int slices = 1;         // parts of the depth summed side by side: of tile_slices()
  bool narrow_b = false;  // rows of B are `last` columns of one vector: nothing beyond them is read
  bool fetches_c = false;
  tile_exit exit = tile_exit::direct;  // of leave()

  /// Sees to `exit` for nv vectors, once everything else is said.
  constexpr void leave(vector_unit v, int nv) noexcept {
    const bool plain = epilogue.bias == nullptr && !epilogue.relu;
    const bool whole = last == v.lanes<T>() || stores_parts(v);
    exit = whole ? tile_exit::direct : plain && nv == 1 ? tile_exit::narrow : tile_exit::finished;
  }
};

template <class T>
using gemm_tile_function = void (*)(const tile_run<T>&, const T* a, const T* b, T* c) noexcept;

/// A run of register tiles of a small product, prepared: everything but the addresses.
template <class T>
struct small_run {
  gemm_tile_function<T> tile = nullptr;
  index_t a = 0, b = 0, c = 0;  // where the first tile finds its operands, in elements
  tile_run<T> of = {};
};

/// A small product, prepared: C ← α·A·B + β·C as a few runs of register tiles, with nothing left to decide.
template <class T>
struct small_product {
  static constexpr std::size_t most_runs = 6;
  int count = 0;  // 0: not a small product
  std::array<small_run<T>, most_runs> runs = {};

  RIDGEPOINT_INLINE RIDGEPOINT_CALLS_ANOTHER_COPY void operator()(const T* a, const T* b, T* c) const noexcept {
    for (int i = 0; i < count; ++i) {
      const small_run<T>& r = runs[static_cast<std::size_t>(i)];
      r.tile(r.of, a + r.a, b + r.b, c + r.c);
    }
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

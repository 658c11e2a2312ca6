// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/kernel.hpp>

/// \file
/// Plain data of register tiles: a run of tiles, and a small product as a few runs.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Epilogue of a register tile: c ← f(α·acc + β·c + bias).
template <class T>
struct tile_epilogue {
  T alpha = T(1), beta = T(0);
  const T* bias = nullptr;  // one value per column of the first tile, or null
  bool relu = false;
  bool streams = false;  // non-temporal stores: β = 0, rows of C are whole aligned vectors
};

/// Whether storing a part of a register costs as much as a full store: true for AVX-512; AVX masked stores take tens
/// of cycles on AMD CPUs.
[[nodiscard]] constexpr bool stores_parts(vector_unit v) noexcept { return v.width_bytes > 32; }

/// How a tile's results are stored.
enum class tile_exit : unsigned char {
  direct,    // vectors to C, the last one full or in part: everything is applied in registers
  narrow,    // one vector of fewer columns, without bias and relu
  finished,  // by finish_tile(): everything else
};

/// Segments of the rows of A, or of B: after k steps in depth one operand jumps to its next segment while the other
/// continues. The lower half of the rows of a tall tile of A may have an additional offset from the upper.
struct depth_segments {
  index_t count = 1;
  const index_t* offsets = nullptr;  // of segments 2 … in elements from the first
  index_t gap = 0;                   // additional elements between the halves
  bool of_b = false;
};

/// Run of register tiles, without the addresses of its first operands. Strides are in elements; A may be row-major,
/// transposed or packed: element (i, p) of a tile is a[i·a_row + p·a_step]. Tiles follow each other down the rows of C
/// (a_tile and c_tile lead to the next rows, b_tile is 0) or along its columns (b_tile and c_tile lead to the next
/// panel, a_tile is 0).
template <class T>
struct tile_run {
  index_t tiles = 0, k = 0;
  index_t a_tile = 0, a_row = 0, a_step = 0;
  depth_segments segments = {};    // each of k steps
  index_t b_tile = 0, b_step = 0;  // row p of B at b + p·b_step
  index_t c_tile = 0, ldc = 0;
  const T* a_after = nullptr;     // next rows of A: prefetched while the current ones are last read
  const T* c_after = nullptr;     // C of the tiles after this run, prefetched with the last one
  index_t last_at = 0, last = 0;  // of the last vector: its column, (Nv − 1)·lanes or less; columns stored, 1 … lanes
  index_t whole_b = 0;            // small_tile(): depth steps that may read a full vector of B
  index_t fetch_b = 0;            // prefetch distance of b in elements, 0 none: for widest_tile() only
  index_t fetch_a = 0;            // prefetch distance of a, in addition: with 32 registers
  tile_epilogue<T> epilogue = {};
  int slices = 1;         // interleaved parts of the depth, from tile_slices()
  bool narrow_b = false;  // B has `last` columns in one vector: nothing beyond them is read
  bool fetches_c = false;
  tile_exit exit = tile_exit::direct;  // set by leave()

  /// Sets `exit` for nv vectors; call after all other fields are set.
  constexpr void leave(vector_unit v, int nv) noexcept {
    const bool plain = epilogue.bias == nullptr && !epilogue.relu;
    const bool whole = last == v.lanes<T>() || stores_parts(v);
    exit = whole ? tile_exit::direct : plain && nv == 1 ? tile_exit::narrow : tile_exit::finished;
  }
};

template <class T>
using gemm_tile_function = void (*)(const tile_run<T>&, const T* a, const T* b, T* c) noexcept;

/// Run of register tiles of a small product, fully prepared except for the addresses.
template <class T>
struct small_run {
  gemm_tile_function<T> tile = nullptr;
  index_t a = 0, b = 0, c = 0;  // element offsets of the first tile's operands
  tile_run<T> of = {};
};

/// Small product, prepared: C ← α·A·B + β·C as a few runs of register tiles; no decisions remain at the call.
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

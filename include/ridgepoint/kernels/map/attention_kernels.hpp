// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/attention.hpp>

/// \file
/// Kernels of attention: the tiles of one block of queries, or of one head, on one thread.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Tiling of attention into queries × keys, so that scores stay in cache. A worker holds a few tiles, whatever the
/// lengths of the sequences.
struct attention_schedule {
  attention_geometry g;
  index_t rows = 0, columns = 0;  // of a tile: queries by keys
  index_t part = 0;               // queries processed together in the forward pass, and on the diagonal
  index_t score_ld = 0, row_ld = 0;
  std::size_t worker_bytes = 0, workers = 0;

  [[nodiscard]] constexpr index_t blocks() const noexcept { return ceil_div(g.queries, rows); }
  /// Calls run(i, count, seen) for queries [begin, end) that see some of `keys` keys from j on, in groups: of `most`
  /// where they see all keys, else of `part`, to limit computation above the diagonal. The last query of a group sees
  /// `seen` keys.
  template <class Run>
  constexpr void for_groups(index_t begin, index_t end, index_t j, index_t keys, index_t most, const Run& run) const {
    for (index_t i = (std::max)(begin, g.first_query(j)), count = 0; i < end; i += count) {
      count = (std::min)(g.seen(i, g.keys) < j + keys ? part : most, end - i);
      run(i, count, (std::min)(keys, g.seen(i + count - 1, g.keys) - j));
    }
  }
};

/// Memory of a worker of the forward pass.
template <class T>
struct attention_memory {
  T *q, *y;      // rows × row_ld: scale·q; sums of weighted values
  T *k, *v;      // in the order of tiles: panels of kᵀ and of v
  T* scores;     // part × score_ld
  T* max;        // rows
  double* sums;  // rows
  std::size_t bytes = 0;
  attention_memory(vector_unit unit, const attention_schedule& s, std::byte* memory) noexcept {
    const auto take = [&](index_t count) { return ridgepoint::detail::take_piece<T>(memory, bytes, count); };
    q = take(s.rows * s.row_ld), y = take(s.rows * s.row_ld);
    k = take(round_up(s.columns, panel_width<T>(unit)) * s.g.width);
    v = take(round_up(s.g.width, panel_width<T>(unit)) * s.columns);
    scores = take(s.part * s.score_ld);
    max = take(s.rows);
    sums = ridgepoint::detail::take_piece<double>(memory, bytes, s.rows);
  }
};
/// Memory of a worker of the backward pass.
template <class T>
struct attention_back_memory {
  T *q, *dy;           // rows × row_ld: scale·q and dy
  T *k, *kt, *vt;      // panels of k, kᵀ and vᵀ
  T *scores, *slopes;  // rows × score_ld: p, and the gradients of scores
  T* d;                // queries: Σ dy·y
  std::size_t bytes = 0;
  attention_back_memory(vector_unit unit, const attention_schedule& s, std::byte* memory) noexcept {
    const auto take = [&](index_t count) { return ridgepoint::detail::take_piece<T>(memory, bytes, count); };
    const index_t turned = round_up(s.columns, panel_width<T>(unit)) * s.g.width;
    q = take(s.rows * s.row_ld), dy = take(s.rows * s.row_ld);
    k = take(round_up(s.g.width, panel_width<T>(unit)) * s.columns);
    kt = take(turned), vt = take(turned);
    scores = take(s.rows * s.score_ld), slopes = take(s.rows * s.score_ld);
    d = take(s.g.queries);
  }
};

/// y of some queries of one head: over tiles of keys, scores ← scale·q·kᵀ, weights relative to the running maximum,
/// y += weights·v; finally y is divided by the sum of weights.
template <class T>
struct attention_block {
  static constexpr auto id = kernel_id<T>("attention_block");
  static void run(const attention_schedule& s, const attention_args<T>& a, index_t n, index_t h, index_t first,
                  std::byte* memory) noexcept;
};

/// Gradients of one head of one sample. Keys are the outer loop: the panels of each tile of keys are packed once; dk
/// and dv accumulate over tiles of queries, dq over tiles of keys, in this order.
template <class T>
struct attention_head_backward {
  static constexpr auto id = kernel_id<T>("attention_head_backward");
  static void run(const attention_schedule& s, const attention_backward_args<T>& a, index_t n, index_t h,
                  std::byte* memory) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/attention.hpp>
#endif

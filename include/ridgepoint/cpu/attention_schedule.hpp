// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/gemm_schedule.hpp>
#include <ridgepoint/ops/attention.hpp>
#include <ridgepoint/ops/prepare.hpp>

/// \file
/// How attention is cut into tiles of queries × keys, so that scores never leave the caches. What a worker keeps is a
/// few tiles, whatever the lengths of the sequences.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

struct attention_schedule {
  attention_geometry g;
  index_t rows = 0, columns = 0;  // of a tile: queries by keys
  index_t part = 0;               // queries taken together in the forward pass, and on the diagonal
  index_t score_ld = 0, row_ld = 0;
  std::size_t worker_bytes = 0, workers = 0;

  [[nodiscard]] constexpr index_t blocks() const noexcept { return ceil_div(g.queries, rows); }
  /// run(i, count, seen): queries before `end`, from `begin` on, that see some of `keys` keys from j on, in groups: of
  /// `most` where they see all, else of `part`, so that little is computed above the diagonal. The last of a group sees
  /// `seen` of the keys.
  template <class Run>
  constexpr void for_groups(index_t begin, index_t end, index_t j, index_t keys, index_t most, const Run& run) const {
    for (index_t i = std::max(begin, g.first_query(j)), count = 0; i < end; i += count) {
      count = std::min(g.seen(i, g.keys) < j + keys ? part : most, end - i);
      run(i, count, std::min(keys, g.seen(i + count - 1, g.keys) - j));
    }
  }
};

/// The memory of a worker of the forward pass.
template <class T>
struct attention_memory {
  T *q, *y;      // rows × row_ld: scale·q; sums of weighted values
  T *k, *v;      // as tiles read them: panels of kᵀ and of v
  T* scores;     // part × score_ld
  T* max;        // rows
  double* sums;  // rows
  std::size_t bytes = 0;
  attention_memory(const attention_schedule& s, std::byte* memory) noexcept {
    const auto take = [&](index_t count) { return take_piece<T>(memory, bytes, count); };
    q = take(s.rows * s.row_ld), y = take(s.rows * s.row_ld);
    k = take(round_up(s.columns, kernels::panel_width<T>(kernels::native_unit)) * s.g.width);
    v = take(round_up(s.g.width, kernels::panel_width<T>(kernels::native_unit)) * s.columns);
    scores = take(s.part * s.score_ld);
    max = take(s.rows);
    sums = take_piece<double>(memory, bytes, s.rows);
  }
};
/// The memory of a worker of the backward pass.
template <class T>
struct attention_back_memory {
  T *q, *dy;           // rows × row_ld: scale·q and dy
  T *k, *kt, *vt;      // panels of k, kᵀ and vᵀ
  T *scores, *slopes;  // rows × score_ld: p, and the gradients of scores
  T* d;                // queries: Σ dy·y
  std::size_t bytes = 0;
  attention_back_memory(const attention_schedule& s, std::byte* memory) noexcept {
    const auto take = [&](index_t count) { return take_piece<T>(memory, bytes, count); };
    const index_t turned = round_up(s.columns, kernels::panel_width<T>(kernels::native_unit)) * s.g.width;
    q = take(s.rows * s.row_ld), dy = take(s.rows * s.row_ld);
    k = take(round_up(s.g.width, kernels::panel_width<T>(kernels::native_unit)) * s.columns);
    kt = take(turned), vt = take(turned);
    scores = take(s.rows * s.score_ld), slopes = take(s.rows * s.score_ld);
    d = take(s.g.queries);
  }
};

/// A tile's queries and keys: what L2 holds of them and of their products, deep enough that the tiles of registers are
/// loaded and stored seldom.
template <class T>
[[nodiscard]] attention_schedule schedule_of(const attention_geometry& g) noexcept {
  constexpr index_t most_rows = 128, most_columns = 128, rows_at_once = 4 * kernels::tile_rows(kernels::native_unit);
  attention_schedule s{.g = g};
  s.rows = std::clamp<index_t>(g.queries, 1, most_rows);
  s.columns = std::clamp<index_t>(g.keys, 1, most_columns);
  s.part = std::min(s.rows, rows_at_once);
  s.score_ld = kernels::row_distance<T>(s.columns);
  s.row_ld = kernels::row_distance<T>(g.width);
  return s;
}

/// Pairs of queries and keys that are computed, in blocks of so many queries and groups of `most`.
[[nodiscard]] constexpr std::uint64_t computed_pairs(const attention_schedule& s, index_t block, index_t most) {
  const attention_geometry& g = s.g;
  index_t pairs = 0;
  for (index_t first = 0; first < g.queries; first += block)
    for (index_t j = 0; j < g.keys; j += s.columns)
      s.for_groups(first, std::min(g.queries, first + block), j, std::min(s.columns, g.keys - j), most,
                   [&](index_t, index_t count, index_t seen) { pairs += count * seen; });
  return static_cast<std::uint64_t>(g.n * g.heads * pairs);
}
}  // namespace detail

/// A pass of attention that is prepared.
struct attention_prepared {
  detail::attention_schedule schedule;
  preparation told;
};

namespace detail {
template <class Memory>
[[nodiscard]] attention_prepared prepare_attention(const native_cpu& on, const attention_schedule& schedule,
                                                   index_t parts, const work& definition, std::uint64_t products,
                                                   std::uint64_t pairs) noexcept {
  attention_prepared made{.schedule = schedule, .told = {}};
  attention_schedule& s = made.schedule;
  s.worker_bytes = Memory(s, nullptr).bytes;
  s.workers = static_cast<std::size_t>(std::min<index_t>(on.thread_count(), parts));
  const std::uint64_t executed = 2 * products * pairs * static_cast<std::uint64_t>(s.g.width);
  made.told.algorithm = "tiles";
  made.told.workspace_bytes = s.workers * s.worker_bytes;
  made.told.executed = executed_with(executed, definition);
  return made;
}

/// c ← α·a·panels + β·c.
template <class T>
void multiply_tile(matrix_view<const T> a, const kernels::b_panels<T>& b, matrix_view<T> c, T beta,
                   T alpha = T(1)) noexcept {
  const auto split = kernels::tile_split::of(a.rows, kernels::native_unit);
  kernels::block_times_panels<T>(kernels::a_block<T>::of(a, split, nullptr), split, b, c.cols, a.cols, c.data,
                                 c.row_stride, {.alpha = alpha, .beta = beta});
}
/// Rows that lie apart as panels.
template <class T>
[[nodiscard]] kernels::b_panels<T> panels_of(matrix_view<const T> rows) noexcept {
  return {rows.data, kernels::panel_width<T>(kernels::native_unit), rows.row_stride};
}
/// Packed panels of a matrix of so many rows.
template <class T>
[[nodiscard]] kernels::b_panels<T> packed_panels(const T* packed, index_t rows) noexcept {
  return {packed, kernels::panel_width<T>(kernels::native_unit) * rows};
}
template <class T>
void zero_rows(const heads_view<T>& x, index_t n, index_t h, index_t first, index_t end) noexcept {
  for (index_t i = first; i < end; ++i) std::fill_n(&x(n, i, h, 0), x.extents[3], T(0));
}
}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

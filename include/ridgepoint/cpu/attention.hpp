// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/attention_backward.hpp>
#include <ridgepoint/cpu/attention_schedule.hpp>
#include <ridgepoint/cpu/run_once.hpp>
#include <ridgepoint/kernels/map/attention.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// y of some queries of one head: over tiles of keys, scores ← scale·q·kᵀ, weights relative to the largest score so
/// far, y += weights·v; at the end y divided by the sum of weights.
template <class T>
void attend(const attention_schedule& s, const attention_args<T>& a, index_t n, index_t h, index_t first,
            std::byte* memory) noexcept {
  constexpr T none = -std::numeric_limits<T>::infinity();
  const attention_geometry& g = s.g;
  const attention_memory<T> m(s, memory);
  const index_t rows = std::min(s.rows, g.queries - first), d = g.width, there = g.there(a.lengths, n),
                keys = g.seen(first + rows - 1, there);
  kernels::scale_rows(static_cast<T>(scale_of(a.options, g)), a.q.head(n, h, first, rows), m.q, s.row_ld);
  std::fill_n(m.max, rows, none);
  std::fill_n(m.sums, rows, 0.0);
  for (index_t j = 0; j < keys; j += s.columns) {
    const index_t columns = std::min(s.columns, keys - j);
    kernels::pack_b_panels(a.k.head(n, h, j, columns).transposed(), m.k);
    kernels::pack_b_panels(a.v.head(n, h, j, columns), m.v);
    s.for_groups(first, first + rows, j, columns, s.part, [&](index_t i, index_t count, index_t seen) {
      const index_t at = i - first;
      const matrix_view<T> scores(m.scores, count, seen, s.score_ld), y(m.y + at * s.row_ld, count, d, s.row_ld);
      multiply_tile<T>({m.q + at * s.row_ld, count, d, s.row_ld}, packed_panels(m.k, d), scores, T(0));
      kernels::soften_tile<T>(
          {scores.data, count, seen, s.score_ld, g.seen(i, g.keys) - j, g.causal ? index_t{1} : index_t{0}}, m.max + at,
          m.sums + at, y.data, s.row_ld, d);
      multiply_tile<T>(scores, packed_panels(m.v, columns), y, j == 0 ? T(0) : T(1));
    });
  }
  for (index_t i = 0; i < rows; ++i) {
    const bool some = g.seen(first + i, there) > 0;
    T* const y = &a.y(n, first + i, h, 0);
    if (some) kernels::scale_rows(static_cast<T>(1 / m.sums[i]), {m.y + i * s.row_ld, 1, d, s.row_ld}, y, d);
    else std::fill_n(y, d, T(0));
    if (a.log_sums != nullptr)
      a.log_sums[(n * g.heads + h) * g.queries + first + i] =
          some ? static_cast<T>(static_cast<double>(m.max[i]) + std::log(m.sums[i])) : none;
  }
}

}  // namespace detail

/// Threads take blocks of queries of one head each.
template <std::floating_point T>
[[nodiscard]] attention_prepared prepare(const native_cpu& on, const attention_args<T>& a,
                                         const prepare_options& = {}) {
  const auto s = detail::schedule_of<T>(a.geometry());
  return detail::prepare_attention<detail::attention_memory<T>>(on, s, s.g.n * s.g.heads * s.blocks(), receipt(a), 2,
                                                                detail::computed_pairs(s, s.rows, s.part));
}
template <std::floating_point T>
void execute(const native_cpu& on, const attention_prepared& made, const attention_args<T>& a,
             const call_memory& memory) {
  const detail::attention_schedule& s = made.schedule;
  auto* const workspace = static_cast<std::byte*>(memory.workspace);
  parallel_for(on.thread_count(), s.g.n * s.g.heads * s.blocks(), [&](index_t part, index_t worker) {
    const index_t block = part % s.blocks(), head = part / s.blocks();
    detail::attend(s, a, head / s.g.heads, head % s.g.heads, block * s.rows,
                   workspace + static_cast<std::size_t>(worker) * s.worker_bytes);
  });
}
template <std::floating_point T>
void execute(const native_cpu& on, const attention_args<T>& a) {
  detail::run_once(on, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

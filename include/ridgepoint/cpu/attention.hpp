// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/cpu_backend.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/attention_kernels.hpp>
#include <ridgepoint/ops/attention.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

using kernels::attention_schedule;

/// Chooses a tile's queries and keys: few enough that L2 holds them and their products, and enough that register tiles
/// are seldom loaded and stored.
template <class T>
[[nodiscard]] attention_schedule schedule_of(kernels::vector_unit v, const attention_geometry& g) noexcept {
  constexpr index_t most_rows = 128, most_columns = 128;
  const index_t rows_at_once = 4 * kernels::tile_rows(v);
  attention_schedule s{.g = g};
  s.rows = std::clamp<index_t>(g.queries, 1, most_rows);
  s.columns = std::clamp<index_t>(g.keys, 1, most_columns);
  s.part = (std::min)(s.rows, rows_at_once);
  s.score_ld = kernels::row_distance<T>(s.columns);
  s.row_ld = kernels::row_distance<T>(g.width);
  return s;
}

/// Counts the pairs of queries and keys that are computed, in blocks of `block` queries and groups of `most`.
[[nodiscard]] constexpr std::uint64_t computed_pairs(const attention_schedule& s, index_t block, index_t most) {
  const attention_geometry& g = s.g;
  index_t pairs = 0;
  for (index_t first = 0; first < g.queries; first += block)
    for (index_t j = 0; j < g.keys; j += s.columns)
      s.for_groups(first, (std::min)(g.queries, first + block), j, (std::min)(s.columns, g.keys - j), most,
                   [&](index_t, index_t count, index_t seen) { pairs += count * seen; });
  return static_cast<std::uint64_t>(g.n * g.heads * pairs);
}
}  // namespace detail

/// A prepared pass of attention.
struct attention_prepared {
  detail::attention_schedule schedule;
  preparation info;
};

namespace detail {
template <class Memory, cpu_backend On>
[[nodiscard]] attention_prepared prepare_attention(const On& on, const attention_schedule& schedule, index_t parts,
                                                   const work& definition, std::uint64_t products,
                                                   std::uint64_t pairs) noexcept {
  attention_prepared made{.schedule = schedule, .info = {}};
  attention_schedule& s = made.schedule;
  s.worker_bytes = Memory(on.vectors(), s, nullptr).bytes;
  s.workers = static_cast<std::size_t>(std::min<index_t>(on.thread_count(), parts));
  const std::uint64_t executed = 2 * products * pairs * static_cast<std::uint64_t>(s.g.width);
  made.info.algorithm = "tiles";
  made.info.workspace_bytes = s.workers * s.worker_bytes;
  made.info.executed = executed_with(executed, definition);
  return made;
}

}  // namespace detail

/// Threads process heads of samples.
template <cpu_backend On, std::floating_point T>
[[nodiscard]] attention_prepared prepare(const On& on, const attention_backward_args<T>& a,
                                         const prepare_options& = {}) {
  const auto s = detail::schedule_of<T>(on.vectors(), a.geometry());
  return detail::prepare_attention<kernels::attention_back_memory<T>>(
      on, s, s.g.n * s.g.heads, receipt(a), 5, detail::computed_pairs(s, std::max<index_t>(s.g.queries, 1), s.rows));
}
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const attention_prepared& made, const attention_backward_args<T>& a,
             const call_memory& memory) {
  const detail::attention_schedule& s = made.schedule;
  auto* const workspace = static_cast<std::byte*>(memory.workspace);
  parallel_for(on.thread_count(), s.g.n * s.g.heads, [&](index_t part, index_t worker) {
    std::byte* const piece = workspace + static_cast<std::size_t>(worker) * s.worker_bytes;
    on.template call<kernels::attention_head_backward<T>>(s, a, part / s.g.heads, part % s.g.heads, piece);
  });
}
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const attention_backward_args<T>& a) {
  detail::run_once(on, a);
}
template <std::floating_point T>
type_list<kernels::attention_head_backward<T>> kernels_of(const attention_backward_args<T>&);
template <cpu_backend On, class Args>
void make_constants(const On&, const attention_prepared&, const Args&, void*) {}

/// Threads process blocks of queries of one head each.
template <cpu_backend On, std::floating_point T>
[[nodiscard]] attention_prepared prepare(const On& on, const attention_args<T>& a, const prepare_options& = {}) {
  const auto s = detail::schedule_of<T>(on.vectors(), a.geometry());
  return detail::prepare_attention<kernels::attention_memory<T>>(on, s, s.g.n * s.g.heads * s.blocks(), receipt(a), 2,
                                                                 detail::computed_pairs(s, s.rows, s.part));
}
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const attention_prepared& made, const attention_args<T>& a, const call_memory& memory) {
  const detail::attention_schedule& s = made.schedule;
  auto* const workspace = static_cast<std::byte*>(memory.workspace);
  parallel_for(on.thread_count(), s.g.n * s.g.heads * s.blocks(), [&](index_t part, index_t worker) {
    const index_t block = part % s.blocks(), head = part / s.blocks();
    on.template call<kernels::attention_block<T>>(s, a, head / s.g.heads, head % s.g.heads, block * s.rows,
                                                  workspace + static_cast<std::size_t>(worker) * s.worker_bytes);
  });
}
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const attention_args<T>& a) {
  detail::run_once(on, a);
}
template <std::floating_point T>
type_list<kernels::attention_block<T>> kernels_of(const attention_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

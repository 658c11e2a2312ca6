// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/cpu_backend.hpp>
#include <ridgepoint/kernels/map/attention_kernels.hpp>
#include <ridgepoint/ops/attention.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

using kernels::attention_schedule;

/// A tile's queries and keys: what L2 holds of them and of their products, deep enough that the tiles of registers are
/// loaded and stored seldom.
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

/// Pairs of queries and keys that are computed, in blocks of so many queries and groups of `most`.
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

/// A pass of attention that is prepared.
struct attention_prepared {
  detail::attention_schedule schedule;
  preparation told;
};

namespace detail {
template <class Memory, cpu_backend On>
[[nodiscard]] attention_prepared prepare_attention(const On& on, const attention_schedule& schedule, index_t parts,
                                                   const work& definition, std::uint64_t products,
                                                   std::uint64_t pairs) noexcept {
  attention_prepared made{.schedule = schedule, .told = {}};
  attention_schedule& s = made.schedule;
  s.worker_bytes = Memory(on.vectors(), s, nullptr).bytes;
  s.workers = static_cast<std::size_t>(std::min<index_t>(on.thread_count(), parts));
  const std::uint64_t executed = 2 * products * pairs * static_cast<std::uint64_t>(s.g.width);
  made.told.algorithm = "tiles";
  made.told.workspace_bytes = s.workers * s.worker_bytes;
  made.told.executed = executed_with(executed, definition);
  return made;
}

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

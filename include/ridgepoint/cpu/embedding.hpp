// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/cpu/past_caches.hpp>
#include <ridgepoint/kernels/map/embedding_kernels.hpp>
#include <ridgepoint/ops/embedding.hpp>
#include <ridgepoint/ops/embedding_rows.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Copies rows of the table while prefetching the rows of the next tokens.
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const embedding_args<T>& a) {
  constexpr index_t ahead = 8;
  const auto is_known = [&](index_t row) { return row >= 0 && row < a.vocabulary; };
  const index_t part = std::max<index_t>(part_elements / std::max<index_t>(a.width, 1), 1);
  parallel_for(a.tokens > part ? on.thread_count() : 1, ceil_div(a.tokens, part), [&](index_t number) {
    const index_t end = (std::min)(a.tokens, (number + 1) * part);
    for (index_t i = number * part; i < end; ++i) {
      if (i + ahead < end && is_known(a.ids[i + ahead]))
        for (index_t j = 0; j < a.width; j += 64 / static_cast<index_t>(sizeof(T)))
          __builtin_prefetch(a.table + a.ids[i + ahead] * a.width + j);
      T* const to = a.y + i * a.width;
      if (is_known(a.ids[i])) std::copy_n(a.table + a.ids[i] * a.width, a.width, to);
      else std::fill_n(to, a.width, std::numeric_limits<T>::quiet_NaN());
    }
  });
}
template <std::floating_point T>
type_list<> kernels_of(const embedding_args<T>&);

/// Writes zeros first, with non-temporal stores if the caches cannot hold the table. Then each thread adds up its own
/// rows in the order of the tokens, and reads all tokens. Rows are blocks spread over the vocabulary, since frequent
/// words often come first.
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const embedding_backward_args<T>& a) {
  constexpr index_t worth_a_team = 65536, line = 64 / static_cast<index_t>(sizeof(T));
  const bool large = (a.tokens + a.vocabulary) * a.width > worth_a_team;
  const index_t parts = large ? on.thread_count() : 1, elements = a.vocabulary * a.width;
  const index_t share = ceil_div(ceil_div(elements, parts), line) * line;
  const kernels::stores how = detail::stores_of_map<T, 0>({}, a.dtable, elements);
  parallel_for(on.thread_count(), parts, [&](index_t part) {
    const index_t first = (std::min)(elements, part * share), size = (std::min)(elements - first, share);
    on.template call<kernels::clear_chunk<T>>(a.dtable + first, size, how);
  });
  parallel_for(on.thread_count(), parts,
               [&](index_t part) { on.template call<kernels::embedding_backward_part<T>>(a, part, parts); });
}
template <std::floating_point T>
type_list<kernels::clear_chunk<T>, kernels::embedding_backward_part<T>> kernels_of(const embedding_backward_args<T>&);

/// A prepared embedding_rows(): its workspace is two lists of placed ids and the beginning of each row in one.
struct embedding_rows_prepared {
  preparation info;
};

template <cpu_backend On, std::floating_point T>
[[nodiscard]] embedding_rows_prepared prepare(const On&, const embedding_rows_args<T>& a, const prepare_options& = {}) {
  const auto tokens = static_cast<std::size_t>(a.tokens);
  return {.info = {.algorithm = "sorted",
                   .workspace_bytes = 2 * tokens * sizeof(kernels::placed_id) + (tokens + 1) * sizeof(std::int32_t),
                   .executed = receipt(a)}};
}
template <cpu_backend On, std::floating_point T>
void make_constants(const On&, const embedding_rows_prepared&, const embedding_rows_args<T>&, void*) {}

/// Sorts the ids on one thread; then splits the rows into parts. One thread adds up each row in the order of its
/// tokens, whose dy is prefetched.
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const embedding_rows_prepared&, const embedding_rows_args<T>& a, const call_memory& memory) {
  auto* const from = static_cast<kernels::placed_id*>(memory.workspace);
  auto* const to = from + a.tokens;
  auto* const begins = reinterpret_cast<std::int32_t*>(to + a.tokens);
  index_t count = 0, distinct = 0;
  const kernels::placed_id* const sorted = kernels::sort_ids(a.ids, a.tokens, a.vocabulary, from, to, count);
  for (index_t i = 0; i < count; ++i) {
    if (i > 0 && sorted[i].id == sorted[i - 1].id) continue;
    a.rows[distinct] = sorted[i].id;
    begins[distinct++] = static_cast<std::int32_t>(i);
  }
  begins[distinct] = static_cast<std::int32_t>(count);
  std::fill_n(a.rows + distinct, a.tokens - distinct, -1);

  const kernels::sorted_tokens tokens{sorted, begins, count};
  const index_t part = std::max<index_t>(part_elements / std::max<index_t>(a.width, 1), 1);
  parallel_for(a.tokens > part ? on.thread_count() : 1, ceil_div(a.tokens, part), [&](index_t number) {
    const index_t end = (std::min)(a.tokens, (number + 1) * part), last = (std::min)(end, distinct);
    const index_t begin = number * part, rest = (std::max)(begin, last);
    on.template call<kernels::embedding_rows_chunk<T>>(a, tokens, begin, last);
    std::fill_n(a.sums + rest * a.width, (end - rest) * a.width, T(0));
  });
}
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const embedding_rows_args<T>& a) {
  detail::run_once(on, a);
}
template <std::floating_point T>
type_list<kernels::embedding_rows_chunk<T>> kernels_of(const embedding_rows_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/cpu/run_once.hpp>
#include <ridgepoint/kernels/map/embedding_kernels.hpp>
#include <ridgepoint/kernels/map/sort_ids.hpp>
#include <ridgepoint/ops/embedding_rows.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// embedding_rows(), prepared: its workspace are two lists of placed ids and where each row begins in one.
struct embedding_rows_prepared {
  preparation told;
};

template <cpu_backend On, std::floating_point T>
[[nodiscard]] embedding_rows_prepared prepare(const On&, const embedding_rows_args<T>& a, const prepare_options& = {}) {
  const auto tokens = static_cast<std::size_t>(a.tokens);
  return {.told = {.algorithm = "sorted",
                   .workspace_bytes = 2 * tokens * sizeof(kernels::placed_id) + (tokens + 1) * sizeof(std::int32_t),
                   .executed = receipt(a)}};
}
template <cpu_backend On, std::floating_point T>
void make_constants(const On&, const embedding_rows_prepared&, const embedding_rows_args<T>&, void*) {}

/// One thread sorts the ids; then rows are cut into parts, and each is added up by one thread in the order of its
/// tokens, whose dy is fetched ahead.
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

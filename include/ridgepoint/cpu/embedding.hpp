// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/cacheable.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/embedding_kernels.hpp>
#include <ridgepoint/ops/embedding.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Rows of the table, copied, those of the next tokens fetched meanwhile.
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

/// Zeros first, past the caches where these cannot hold the table. Then each thread adds up rows of its own, in the
/// order of the tokens, all of which it looks at: blocks spread over the vocabulary, since frequent words often come
/// first.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

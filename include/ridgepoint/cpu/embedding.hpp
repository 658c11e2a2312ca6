// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/cpu/past_caches.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/ops/embedding.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Rows of the table, copied, those of the next tokens fetched meanwhile.
template <std::floating_point T>
void execute(const native_cpu& on, const embedding_args<T>& a) {
  constexpr index_t ahead = 8;
  const auto is_known = [&](index_t row) { return row >= 0 && row < a.vocabulary; };
  const index_t part = std::max<index_t>(part_elements / std::max<index_t>(a.width, 1), 1);
  parallel_for(a.tokens > part ? on.thread_count() : 1, ceil_div(a.tokens, part), [&](index_t number) {
    const index_t end = std::min(a.tokens, (number + 1) * part);
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

/// Zeros first, past the caches where these can not hold the table. Then each thread adds up rows of its own, in the
/// order of the tokens, all of which it looks at: blocks spread over the vocabulary, since frequent words often come
/// first.
template <std::floating_point T>
void execute(const native_cpu& on, const embedding_backward_args<T>& a) {
  constexpr index_t worth_a_team = 65536, block = 8, line = kernels::line_elements<T>;
  const bool large = (a.tokens + a.vocabulary) * a.width > worth_a_team;
  const index_t parts = large ? on.thread_count() : 1, elements = a.vocabulary * a.width;
  const index_t share = ceil_div(ceil_div(elements, parts), line) * line;
  detail::with_stores(static_cast<std::size_t>(elements) * sizeof(T), a.dtable, [&]<kernels::stores Stores>() {
    parallel_for(on.thread_count(), parts, [&](index_t part) {
      const index_t first = std::min(elements, part * share), size = std::min(elements - first, share);
      const auto zero = []() RIDGEPOINT_INLINE_LAMBDA { return std::array{simd::batch<T>(T(0))}; };
      kernels::map<T, 0, 1, Stores>({}, {a.dtable + first}, size, zero);
    });
  });
  parallel_for(on.thread_count(), parts, [&](index_t part) {
    for (index_t i = 0; i < a.tokens; ++i) {
      const index_t row = a.ids[i];
      if (row < 0 || row >= a.vocabulary || row / block % parts != part) continue;
      T* const sum = a.dtable + row * a.width;
      const auto add = [](auto x, auto dy) RIDGEPOINT_INLINE_LAMBDA { return std::array{x + dy}; };
      kernels::map<T>(std::array<const T*, 2>{sum, a.dy + i * a.width}, std::array{sum}, a.width, add);
    }
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

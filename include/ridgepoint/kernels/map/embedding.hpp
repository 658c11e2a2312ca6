// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/kernels/map/copy.hpp>
#include <ridgepoint/kernels/map/elementwise.hpp>
#include <ridgepoint/kernels/map/embedding_kernels.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/kernels/map/sum_rows.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
void clear_chunk<T>::run(T* dst, index_t size, stores how) noexcept {
  map_to<T, 0>({}, dst, size, how, detail::no_value<T>{});
}

template <class T>
void embedding_backward_part<T>::run(const embedding_backward_args<T>& a, index_t part, index_t parts) noexcept {
  constexpr index_t block = 8;
  for (index_t i = 0; i < a.tokens; ++i) {
    const index_t row = a.ids[i];
    if (row < 0 || row >= a.vocabulary || row / block % parts != part) continue;
    T* const sum = a.dtable + row * a.width;
    map<T, 2, 1>({sum, a.dy + i * a.width}, {sum}, a.width, detail::sum_of_two<T>{});
  }
}

template <class T>
void embedding_rows_chunk<T>::run(const embedding_rows_args<T>& a, const sorted_tokens& tokens, index_t begin,
                                  index_t end) noexcept {
  const auto dy_of = [&](index_t i) {
    constexpr index_t ahead = 8, line = 64 / static_cast<index_t>(sizeof(T));
    if (i + ahead < tokens.count)
      for (index_t j = 0; j < a.width; j += line)
        __builtin_prefetch(a.dy + tokens.sorted[i + ahead].position * a.width + j);
    return a.dy + tokens.sorted[i].position * a.width;
  };
  for (index_t k = begin; k < end; ++k)
    sum_rows<T>(dy_of, tokens.begins[k], tokens.begins[k + 1], a.sums + k * a.width, a.width);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

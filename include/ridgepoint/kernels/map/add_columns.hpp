// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// sums(j) ← Σ_i rows(i, j) + β·sums(j) for a β of 0 or 1, eight rows at a time.
template <class T>
void add_columns(const matrix_view<const T>& rows, T beta, T* sums) noexcept {
  using vec = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>, chains = 8;
  for (index_t j = 0; j < rows.cols; j += lanes) {
    const index_t count = (std::min)(lanes, rows.cols - j);
    vec sum[chains];
    RIDGEPOINT_UNROLL
    for (index_t q = 0; q < chains; ++q) sum[q] = vec(T(0));
    const T* from = rows.data + j;
    const auto add = [&](auto load) RIDGEPOINT_INLINE_LAMBDA {
      index_t i = 0;
      for (; i + chains <= rows.rows; i += chains) {
        RIDGEPOINT_UNROLL
        for (index_t q = 0; q < chains; ++q, from += rows.row_stride) sum[q] = sum[q] + load(from);
      }
      for (; i < rows.rows; ++i, from += rows.row_stride) sum[0] = sum[0] + load(from);
    };
    if (count == lanes) add([](const T* p) RIDGEPOINT_INLINE_LAMBDA { return simd::load(p); });
    else add([=](const T* p) RIDGEPOINT_INLINE_LAMBDA { return simd::load_partial(p, count); });
    RIDGEPOINT_UNROLL
    for (index_t stride = 1; stride < chains; stride *= 2) {
      RIDGEPOINT_UNROLL
      for (index_t q = 0; q + stride < chains; q += 2 * stride) sum[q] = sum[q] + sum[q + stride];
    }
    if (!exactly(beta, T(0))) sum[0] = sum[0] + simd::load_partial(sums + j, count);  // last: it is the largest
    simd::store_partial(sums + j, sum[0], count);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/kernel.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// sums(j) ← Σ_i a(i, j) for columns [begin, end) of a matrix with contiguous rows; always in the same order. bfloat16
/// sums are computed in float and rounded once.
template <class T>
struct column_sum {
  static constexpr auto id = kernel_id<T>("column_sum");
  static void run(const matrix_view<const T>& a, T* sums, index_t begin, index_t end) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/column_sum.hpp>
#endif

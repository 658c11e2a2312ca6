// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/kernel.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// sum(i) ← Σ_k first(k·step + i) for i < n and k < count, in the order of k. Requires: count ≥ 1.
template <class T>
struct add_arrays {
  static constexpr auto id = kernel_id<T>("add_arrays");
  static void run(const T* first, index_t count, index_t step, T* sum, index_t n) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/add_arrays.hpp>
#endif

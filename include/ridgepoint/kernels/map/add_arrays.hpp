// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/map/add_arrays_kernels.hpp>
#include <ridgepoint/kernels/window/some_lanes.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
void add_arrays<T>::run(const T* first, index_t count, index_t step, T* sum, index_t n) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  const auto add = [&](index_t i, auto some) RIDGEPOINT_INLINE_LAMBDA {
    const T* from = first + i;
    simd::batch<T> total = some.load(from);
    for (index_t k = 1; k < count; ++k) total = total + some.load(from += step);
    some.store(sum + i, total);
  };
  index_t i = 0;
  for (; i + lanes <= n; i += lanes) add(i, all_lanes{});
  if (i < n) add(i, first_lanes{n - i});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/cpu/caches.hpp>
#include <ridgepoint/kernels/stores.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Returns the size above which data no longer stays in cache: the L3, up to 24 MiB, because cores share larger ones.
[[nodiscard]] inline std::size_t cacheable_bytes() noexcept {
  constexpr std::size_t most = std::size_t{24} << 20;
  const cache_sizes& caches = host_caches();
  return (std::min)((std::max)(caches.l3_bytes, 2 * caches.l2_bytes), most);
}

namespace detail {
/// Returns how an element-wise op writes `out`: with non-temporal stores if the caches cannot hold all arrays of `size`
/// elements and out is not an input. A store through a cache reads the line first, which for one input and one output
/// is a third of the traffic. The results are the same bits.
template <class T, std::size_t Ins>
[[nodiscard]] kernels::stores stores_of_map(const std::array<const T*, Ins>& in, const T* out, index_t size) noexcept {
  const bool apart = std::find(in.begin(), in.end(), out) == in.end();
  return apart && static_cast<std::size_t>(size) * sizeof(T) * (Ins + 1) > cacheable_bytes()
             ? kernels::stores::streaming
             : kernels::stores::cached;
}
}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

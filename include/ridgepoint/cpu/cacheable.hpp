// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/cpu/caches.hpp>
#include <ridgepoint/kernels/stores.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Bytes that a core can not expect to find in its caches again: more than the L3, of which at most 24 MiB count, since
/// a larger one is shared by many cores.
[[nodiscard]] inline std::size_t cacheable_bytes() noexcept {
  constexpr std::size_t most = std::size_t{24} << 20;
  const cache_sizes& caches = host_caches();
  return std::min(std::max(caches.l3_bytes, 2 * caches.l2_bytes), most);
}

namespace detail {
/// Returns how an element-wise op writes `out`: past the caches if these cannot hold all arrays of `size` elements, and
/// out is not an input. A store through a cache reads the line first, which for one input and one output is a third of
/// the traffic. The results are the same bits.
template <class T, std::size_t Ins>
[[nodiscard]] kernels::stores stores_of_map(const std::array<const T*, Ins>& in, const T* out, index_t size) noexcept {
  const bool apart = std::find(in.begin(), in.end(), out) == in.end();
  return apart && static_cast<std::size_t>(size) * sizeof(T) * (Ins + 1) > cacheable_bytes()
             ? kernels::stores::streaming
             : kernels::stores::cached;
}
}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

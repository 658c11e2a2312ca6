// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include <ridgepoint/cpu/caches.hpp>
#include <ridgepoint/kernels/stores.hpp>
#include <ridgepoint/simd/lanes.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Bytes that a core can not expect to find in its caches again: more than the L3, of which at most 24 MiB count, since
/// a larger one is shared by many cores.
[[nodiscard]] inline std::size_t cacheable_bytes() noexcept {
  constexpr std::size_t most = std::size_t{24} << 20;
  const cache_sizes& caches = host_caches();
  return std::min(std::max(caches.l3_bytes, 2 * caches.l2_bytes), most);
}

namespace detail {
/// run<stores>() of a pass over `bytes` that writes `out`: past the caches if they can not hold those and out is on the
/// boundary of a register. A store through a cache reads the line first. The results are the same bits.
template <class T, class Run>
void with_stores(std::size_t bytes, const T* out, const Run& run) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(out) % sizeof(simd::batch<T>) == 0;
  if (aligned && bytes > cacheable_bytes()) run.template operator()<kernels::stores::streaming>();
  else run.template operator()<kernels::stores::cached>();
}
}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

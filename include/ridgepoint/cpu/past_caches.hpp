// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <ridgepoint/cpu/cacheable.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/stores.hpp>
#include <ridgepoint/simd/lanes.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// run<stores>() of a pass over `bytes` that writes `out`: past the caches if they can not hold those and out is on the
/// boundary of a register. A store through a cache reads the line first. The results are the same bits.
template <class T, class Run>
void with_stores(std::size_t bytes, const T* out, const Run& run) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(out) % sizeof(simd::batch<T>) == 0;
  if (aligned && bytes > cacheable_bytes()) run.template operator()<kernels::stores::streaming>();
  else run.template operator()<kernels::stores::cached>();
}

/// How register tiles write rows of `columns` results, ld apart: past the caches if those can not hold the `elements`
/// of all operands, and rows and panels are whole lines.
template <class T>
[[nodiscard]] kernels::stores stores_of_tiles(index_t elements, const T* results, index_t columns,
                                              index_t ld) noexcept {
  constexpr index_t line = kernels::line_elements<T>;
  const bool whole = kernels::panel_width<T> % line == 0 && columns % line == 0 && ld % line == 0 &&
                     reinterpret_cast<std::uintptr_t>(results) % 64 == 0;
  return whole && static_cast<std::size_t>(elements) * sizeof(T) > cacheable_bytes() ? kernels::stores::streaming
                                                                                     : kernels::stores::cached;
}
}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

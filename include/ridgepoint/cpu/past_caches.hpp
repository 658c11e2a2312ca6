// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/cpu/caches.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/kernel.hpp>

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
  const bool separate = std::find(in.begin(), in.end(), out) == in.end();
  return separate && static_cast<std::size_t>(size) * sizeof(T) * (Ins + 1) > cacheable_bytes()
             ? kernels::stores::streaming
             : kernels::stores::cached;
}

/// Selects how register tiles write rows of `columns` results with stride ld: with non-temporal stores if the caches
/// cannot hold the `elements` of all operands, and rows and panels are full cache lines.
template <class T>
[[nodiscard]] kernels::stores stores_of_tiles(kernels::vector_unit v, index_t elements, const T* results,
                                              index_t columns, index_t ld) noexcept {
  constexpr index_t line = kernels::line_elements<T>;
  const bool whole = kernels::panel_width<T>(v) % line == 0 && columns % line == 0 && ld % line == 0 &&
                     reinterpret_cast<std::uintptr_t>(results) % 64 == 0;
  return whole && static_cast<std::size_t>(elements) * sizeof(T) > cacheable_bytes() ? kernels::stores::streaming
                                                                                     : kernels::stores::cached;
}
}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

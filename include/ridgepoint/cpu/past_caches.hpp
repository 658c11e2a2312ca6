// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <ridgepoint/cpu/cacheable.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/stores.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// How register tiles write rows of `columns` results, ld apart: past the caches if those cannot hold the `elements`
/// of all operands, and rows and panels are whole lines.
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

// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <utility>

#include <ridgepoint/kernels/gemm/microkernel.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// gemm_tile for every height of Nv vectors, so that no row is computed twice or discarded; nullptr where a tile does
/// not fit the registers.
template <class T, int Nv, bool Packed>
inline constexpr auto gemm_tiles = []<int... Row>(std::integer_sequence<int, Row...>) {
  const auto tile = []<int Mr>() -> gemm_tile_function<T> {
    if constexpr (tile_fits(native_unit, Mr, Nv)) return &gemm_tile<T, Mr, Nv, Packed>;
    else return nullptr;
  };
  return std::array<gemm_tile_function<T>, sizeof...(Row)>{tile.template operator()<Row + 1>()...};
}
(std::make_integer_sequence<int, most_rows(native_unit)>{});

/// Returns the tile of mr rows of nv vectors that reads A and B in place.
template <class T>
[[nodiscard]] gemm_tile_function<T> tile_in_place(index_t mr, int nv) noexcept {
  static constexpr std::array all{&gemm_tiles<T, 1, false>, &gemm_tiles<T, 2, false>, &gemm_tiles<T, 3, false>,
                                  &gemm_tiles<T, 4, false>, &gemm_tiles<T, 5, false>, &gemm_tiles<T, 6, false>};
  static_assert(all.size() == most_vectors);
  return (*all[static_cast<std::size_t>(nv - 1)])[static_cast<std::size_t>(mr - 1)];
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

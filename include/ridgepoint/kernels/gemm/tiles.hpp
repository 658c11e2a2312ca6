// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <utility>

#include <ridgepoint/kernels/gemm/microkernel.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
using gemm_tile_function = void (*)(const tile_operands<T>&, const tile_epilogue<T>&) noexcept;

/// gemm_tile for every height of Nv vectors, so that no row is ever computed twice or thrown away; nullptr where a tile
/// does not fit the registers or is taller than Tallest.
template <class T, int Nv, tile_extra Extra, int Slices = 1, int Tallest = most_rows>
inline constexpr auto gemm_tiles = []<int... Row>(std::integer_sequence<int, Row...>) {
  const auto tile = []<int Mr>() -> gemm_tile_function<T> {
    if constexpr (Mr <= Tallest && tile_fits(Mr, Nv, Slices)) return &gemm_tile<T, Mr, Nv, Extra, Slices>;
    else return nullptr;
  };
  return std::array<gemm_tile_function<T>, sizeof...(Row)>{tile.template operator()<Row + 1>()...};
}
(std::make_integer_sequence<int, most_rows>{});

/// Tiles that read A and B where they are.
template <class T>
struct tiles_in_place {
  static constexpr tile_extra raw = replicates_a<T> ? tile_extra::raw_a : tile_extra::none;
  using function = gemm_tile_function<T>;

  /// For nv whole vectors a row, the last of which may overlap the one before.
  [[nodiscard]] static function of(index_t mr, int nv, int slices) noexcept {
    const auto at = static_cast<std::size_t>(mr - 1);
    if (slices == 2) return nv == 1 ? gemm_tiles<T, 1, raw, 2, 6>[at] : gemm_tiles<T, 2, raw, 2, 3>[at];
    if (slices == 4) return nv == 1 ? gemm_tiles<T, 1, raw, 4, 3>[at] : gemm_tiles<T, 2, raw, 4, 1>[at];
    static constexpr std::array all{&gemm_tiles<T, 1, raw>, &gemm_tiles<T, 2, raw>, &gemm_tiles<T, 3, raw>,
                                    &gemm_tiles<T, 4, raw>, &gemm_tiles<T, 5, raw>, &gemm_tiles<T, 6, raw>};
    static_assert(all.size() == most_vectors);
    return (*all[static_cast<std::size_t>(nv - 1)])[at];
  }
  /// For one row of fewer columns than a vector has lanes.
  [[nodiscard]] static function narrow(index_t mr, int slices) noexcept {
    const auto at = static_cast<std::size_t>(mr - 1);
    return slices == 1   ? gemm_tiles<T, 1, tile_extra::narrow>[at]
           : slices == 2 ? gemm_tiles<T, 1, tile_extra::narrow, 2, 6>[at]
                         : gemm_tiles<T, 1, tile_extra::narrow, 4, 3>[at];
  }
  /// The widest of mr rows, which fetches B ahead.
  [[nodiscard]] static function fetching(index_t mr) noexcept {
    static constexpr auto widest = []<int... Row>(std::integer_sequence<int, Row...>) {
      return std::array<function, sizeof...(Row)>{&gemm_tile<T, Row + 1, widest_tile(Row + 1), tile_extra::fetch_b>...};
    }
    (std::make_integer_sequence<int, gemm_tile_shape::rows>{});
    return widest[static_cast<std::size_t>(mr - 1)];
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

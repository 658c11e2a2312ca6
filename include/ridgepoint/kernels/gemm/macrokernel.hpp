// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <utility>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/kernels/gemm/microkernel.hpp>
#include <ridgepoint/kernels/gemm/pack.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// gemm_tile for every height, so that no row is ever computed twice or thrown away.
template <class T>
using gemm_tile_function = void (*)(const tile_operands<T>&, const tile_epilogue<T>&) noexcept;
template <class T, int Nv, tile_extra Extra>
inline constexpr auto gemm_tiles = []<int... Row>(std::integer_sequence<int, Row...>) {
  return std::array<gemm_tile_function<T>, sizeof...(Row)>{&gemm_tile<T, Row + 1, Nv, Extra>...};
}(std::make_integer_sequence<int, gemm_tile_shape::rows>{});

/// How a block of rows falls into tiles: `tall` of `rows` rows, then the others with one row less.
struct tile_split {
  index_t tiles, rows, tall;
  [[nodiscard]] static constexpr tile_split of(index_t height) noexcept {
    const index_t tiles = ceil_div(height, index_t{gemm_tile_shape::rows}), rows = ceil_div(height, tiles);
    return {tiles, rows, height - tiles * (rows - 1)};
  }
};

/// A block of A as the register tiles read it: row i at data + i·per_row, inside a tile element (i, p) at i·row +
/// p·step.
template <class T>
struct a_block {
  static constexpr index_t copies = replicates_a<T> ? simd::lanes<T> : 1;  // of each value, where it is packed
  const T* data;
  index_t per_row, row, step;
  bool packed = false;                                         // then step is the height of each tile, times copies

  /// The block where it is, or packed tile by tile to `memory`, if that is given.
  [[nodiscard]] static a_block of(matrix_view<const T> a, const tile_split& split, T* memory) noexcept {
    if (memory == nullptr) return {a.data, a.row_stride, a.row_stride, a.col_stride};
    for (index_t t = 0, i = 0; t < split.tiles; ++t) {
      const index_t mr = t < split.tall ? split.rows : split.rows - 1;
      pack_a_tile(a.block(i, 0, mr, a.cols), a.rows - i - mr, memory + i * a.cols * copies);
      i += mr;
    }
    return {memory, a.cols * copies, copies, 0, true};
  }
};

/// Where the tiles of a block read a panel of B. If there is to be a copy, the first tile makes it, packed, and the
/// others read that.
template <class T>
struct b_panel {
  const T* data;
  index_t step;                                                // from row to row
  T* copy = nullptr;
};

/// The panel of width × B.rows at B, for the block of rows that is `first` to read it: where it is, or packed in
/// `memory`.
template <class T>
[[nodiscard]] b_panel<T> prepare_panel(matrix_view<const T> b, index_t panel_width, bool pack, bool first,
                                       T* memory) noexcept {
  if (!pack && b.cols == panel_width) return {b.data, b.row_stride};
  if (first && b.col_stride == 1 && b.cols == gemm_tile_shape::vectors * simd::lanes<T>)
    return {b.data, b.row_stride, memory};
  if (first) pack_b_panel(b, panel_width, memory);
  return {memory, panel_width};
}

/// A block of rows of C from `c` down, one panel wide: its tiles on the kernels for their heights.
/// Requires: `last` columns stored by the last of the panel's vectors.
template <class T>
void block_times_panel(const a_block<T>& a, const tile_split& split, const b_panel<T>& b, index_t depth,
                       bool one_vector, bool fetch_a, T* c, index_t ldc, index_t last,
                       const tile_epilogue<T>& epilogue) noexcept {
  constexpr int nv = gemm_tile_shape::vectors;
  tile_operands<T> t{.tiles = 0, .k = depth, .a = nullptr, .a_tile = 0, .a_row = a.row, .a_step = a.step, .b = b.data,
                     .b_step = b.step, .b_copy = b.copy, .c = nullptr, .ldc = ldc, .last = last};
  const auto run = [&](const auto& kernels, index_t first_row, index_t mr, index_t tiles) {
    t.tiles = tiles;
    t.a = a.data + first_row * a.per_row;
    t.a_tile = mr * a.per_row;
    if (a.packed) t.a_step = mr * a_block<T>::copies;
    t.c = c + first_row * ldc;
    kernels[static_cast<std::size_t>(mr - 1)](t, epilogue);
  };
  index_t done = 0;                                            // tiles
  if (b.copy != nullptr) {
    run(gemm_tiles<T, nv, tile_extra::copy_b>, 0, split.rows, 1);
    t.b = b.copy, t.b_step = nv * simd::lanes<T>;
    done = 1;
  }
  const auto& kernels = one_vector ? gemm_tiles<T, 1, tile_extra::none>
                        : fetch_a  ? gemm_tiles<T, nv, tile_extra::fetch_a>
                                   : gemm_tiles<T, nv, tile_extra::none>;
  if (done < split.tall) run(kernels, done * split.rows, split.rows, split.tall - done);
  if (split.tall < split.tiles) run(kernels, split.tall * split.rows, split.rows - 1, split.tiles - split.tall);
}

/// C ← f(α·A·B + β·C + bias) for one thread: three loops around the register tile.
///   for each nc of columns, kc of depth, mc of rows: panels of nr columns outside, tiles of mr rows inside.
///
/// The first tile of a panel copies B next to itself as it goes (kernels/gemm/microkernel.hpp); later blocks of rows
/// find the panels packed. `packed`, if given, is B as pack_b() lays it out, and g.b tells only its extents.
/// Requires: plan made for this problem; C has unit column stride.
template <class T>
void gemm_block(const gemm_plan& plan, const gemm_args<T>& g, const T* packed = nullptr) {
  constexpr index_t lanes = simd::lanes<T>, nr = gemm_tile_shape::vectors * lanes;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const index_t a_values = plan.pack_a ? std::min(plan.mc, m) * plan.kc * a_block<T>::copies + 2 * lanes : 0;
  const index_t panels_most = plan.mc < m ? ceil_div(std::min(plan.nc, n), nr) : 1;
  const index_t b_values = panels_most * plan.kc * nr;
  struct tag;
  T* const b_memory =
      static_cast<T*>(thread_scratch<tag>(static_cast<std::size_t>((a_values + b_values) * index_t{sizeof(T)})));
  T* const a_memory = plan.pack_a ? b_memory + b_values : nullptr;

  for (index_t j0 = 0; j0 < n; j0 += plan.nc) {
    const index_t columns = std::min(plan.nc, n - j0);
    for (index_t p0 = 0; p0 < k; p0 += plan.kc) {
      const index_t depth = std::min(plan.kc, k - p0);
      const bool last_part = p0 + depth == k;
      tile_epilogue<T> epilogue{.alpha = g.options.alpha, .beta = p0 == 0 ? g.options.beta : T(1),
                                .relu = last_part && g.options.act == activation::relu};
      for (index_t i0 = 0; i0 < m; i0 += plan.mc) {
        const index_t height = std::min(plan.mc, m - i0);
        const tile_split split = tile_split::of(height);
        const auto a = a_block<T>::of(g.a.block(i0, p0, height, depth), split, a_memory);
        for (index_t j = 0; j < columns; j += nr) {
          const index_t width = std::min(nr, columns - j);
          const bool one_vector = width <= lanes;
          T* const memory = b_memory + (panels_most > 1 ? j * plan.kc : 0);
          const b_panel<T> b = packed != nullptr
                                   ? b_panel<T>{packed + (j0 + j) * k + p0 * nr, nr}
                                   : prepare_panel(g.b.block(p0, j0 + j, depth, width), one_vector ? lanes : nr,
                                                   plan.pack_b, i0 == 0, memory);
          epilogue.bias = last_part && g.options.bias != nullptr ? g.options.bias + j0 + j : nullptr;
          block_times_panel(a, split, b, depth, one_vector, plan.fetch_a, g.c.data + i0 * g.c.row_stride + j0 + j,
                            g.c.row_stride, one_vector ? width : width - lanes, epilogue);
        }
      }
    }
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

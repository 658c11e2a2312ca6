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

/// A block of A as the register tiles read it: row i at data + i·per_row, inside a tile element (i, p) at i·row +
/// p·step.
template <class T>
struct a_block {
  const T* data;
  index_t per_row, row, step;                                  // packed columns: step is the height of the tile
};

/// C ← f(α·A·B + β·C + bias) for one thread: three loops around the register tile.
///   for each nc of columns, kc of depth, mc of rows: panels of nr columns outside, tiles of mr rows inside.
///
/// The first tile of a panel copies B next to itself as it goes (kernels/gemm/microkernel.hpp); later blocks of rows
/// find the panels packed. `packed`, if given, is B as pack_b() lays it out, and g.b tells only its extents.
/// Requires: plan made for this problem; C has unit column stride.
template <class T>
void gemm_block(const gemm_plan& plan, const gemm_args<T>& g, const T* packed = nullptr) {
  constexpr index_t lanes = simd::lanes<T>, mr_most = gemm_tile_shape::rows, nr = gemm_tile_shape::vectors * lanes;
  constexpr index_t copies = replicates_a<T> ? lanes : 1;      // of each value in packed A
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const index_t a_values = plan.pack_a ? std::min(plan.mc, m) * plan.kc * copies + 2 * lanes : 0;
  const index_t panels_most = plan.mc < m ? ceil_div(std::min(plan.nc, n), nr) : 1;
  const index_t b_values = panels_most * plan.kc * nr;
  struct tag;
  T* const b_packed =
      static_cast<T*>(thread_scratch<tag>(static_cast<std::size_t>((a_values + b_values) * index_t{sizeof(T)})));
  T* const a_packed = b_packed + b_values;

  for (index_t j0 = 0; j0 < n; j0 += plan.nc) {
    const index_t columns = std::min(plan.nc, n - j0);
    for (index_t p0 = 0; p0 < k; p0 += plan.kc) {
      const index_t depth = std::min(plan.kc, k - p0);
      const bool last_part = p0 + depth == k;
      tile_epilogue<T> epilogue{.alpha = g.options.alpha, .beta = p0 == 0 ? g.options.beta : T(1),
                                .relu = last_part && g.options.act == activation::relu};
      for (index_t i0 = 0; i0 < m; i0 += plan.mc) {
        const index_t height = std::min(plan.mc, m - i0), tiles = ceil_div(height, mr_most);
        const index_t tall = ceil_div(height, tiles),
                      tall_tiles = height - tiles * (tall - 1);  // the rest: tall − 1 rows
        const auto block = g.a.block(i0, p0, height, depth);
        a_block<T> a{block.data, block.row_stride, block.row_stride, block.col_stride};
        if (plan.pack_a) {
          a = {a_packed, depth * copies, copies, 0};
          for (index_t t = 0, i = 0; t < tiles; ++t) {
            const index_t mr = t < tall_tiles ? tall : tall - 1;
            pack_a_tile(block.block(i, 0, mr, depth), height - i - mr, a_packed + i * a.per_row);
            i += mr;
          }
        }
        for (index_t j = 0; j < columns; j += nr) {
          const index_t width = std::min(nr, columns - j);
          const bool one_vector = width <= lanes;
          const index_t panel_nr = one_vector ? lanes : nr;
          T* const panel = b_packed + (panels_most > 1 ? j * plan.kc : 0);
          const auto b = g.b.block(p0, j0 + j, depth, width);
          const bool ragged = width < panel_nr, packs = packed == nullptr && (plan.pack_b || ragged);
          const bool copy_on_the_way = packs && i0 == 0 && width == nr && b.col_stride == 1;
          if (packs && i0 == 0 && !copy_on_the_way) pack_b_panel(b, panel_nr, panel);
          const T* const ready = packed != nullptr ? packed + (j0 + j) * k + p0 * nr : packs ? panel : b.data;
          const index_t ready_step = packed != nullptr ? nr : packs ? panel_nr : b.row_stride;

          epilogue.bias = last_part && g.options.bias != nullptr ? g.options.bias + j0 + j : nullptr;
          tile_operands<T> t{.tiles = 0, .k = depth, .a = nullptr, .a_tile = 0, .a_row = a.row, .a_step = a.step,
                             .b = ready, .b_step = ready_step,
                             .b_copy = panel, .c = g.c.data + i0 * g.c.row_stride + j0 + j, .ldc = g.c.row_stride,
                             .last = one_vector ? width : width - lanes};
          const auto run = [&](const auto& kernels, index_t first_row, index_t mr, index_t count) {
            t.tiles = count;
            t.a = a.data + first_row * a.per_row;
            t.a_tile = mr * a.per_row;
            if (plan.pack_a) t.a_step = mr * copies;
            t.c = g.c.data + (i0 + first_row) * g.c.row_stride + j0 + j;
            kernels[static_cast<std::size_t>(mr - 1)](t, epilogue);
          };
          index_t done = 0;                                    // tiles
          if (copy_on_the_way) {
            t.b = b.data, t.b_step = b.row_stride;
            run(gemm_tiles<T, gemm_tile_shape::vectors, tile_extra::copy_b>, 0, tall, 1);
            t.b = ready, t.b_step = ready_step;
            done = 1;
          }
          const auto& kernels = one_vector     ? gemm_tiles<T, 1, tile_extra::none>
                                : plan.fetch_a ? gemm_tiles<T, gemm_tile_shape::vectors, tile_extra::fetch_a>
                                               : gemm_tiles<T, gemm_tile_shape::vectors, tile_extra::none>;
          if (done < tall_tiles) run(kernels, done * tall, tall, tall_tiles - done);
          if (tall_tiles < tiles) run(kernels, tall_tiles * tall, tall - 1, tiles - tall_tiles);
        }
      }
    }
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

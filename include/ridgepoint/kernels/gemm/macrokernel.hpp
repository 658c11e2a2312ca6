// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/gemm/microkernel.hpp>
#include <ridgepoint/kernels/gemm/pack.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Block of A as register tiles read it: row i at data + i·per_row; element (i, p) of a tile at i·row + p·step.
template <class T>
struct a_block {
  static constexpr index_t copies = replicates_a<T>(native_unit) ? simd::lanes<T> : 1;  // of each value, if packed
  const T* data;
  index_t per_row, row, step;
  bool packed = false;  // then step is the height of each tile · copies
  depth_segments segments = {};
  bool is_far = false;  // row-major and larger than L2: rows are prefetched

  /// Returns the block in place, or packed tile by tile into `memory`, if given.
  [[nodiscard]] static a_block of(matrix_view<const T> a, const tile_split& split, T* memory) noexcept {
    if (memory == nullptr) return {.data = a.data, .per_row = a.row_stride, .row = a.row_stride, .step = a.col_stride};
    for (const auto [i, mr, one] : split.one_by_one())
      pack_a_tile(a.block(i, 0, mr, a.cols), a.rows - i - mr, memory + i * a.cols * copies);
    return {memory, a.cols * copies, copies, 0, true, {}};
  }
};

/// Panels of B: panel q of nr columns at data + q·panel, with `step` between rows: nr if packed. Unpacked panels are B
/// itself; nothing beyond its columns is read.
template <class T>
struct b_panels {
  const T* data;
  index_t panel;
  index_t step = panel_width<T>(native_unit);
  index_t fetched = 0;  // prefetch distance in elements, while the first rows of C read a panel; 0: none
  T* copy = nullptr;    // packed panels: the first tiles write the full ones, other rows of C read them; or null
};

/// Blocks of A and C of the same form: their number, and elements from one to the next.
struct block_series {
  index_t count = 1, a = 0, c = 0;
};

/// Multiplies a block of rows of A by packed panels into C[height × n] at `c`; `depth` is that of one segment of A.
/// Tiles run along the panels, so that C is written contiguously; down the rows for a single or a ragged panel; along
/// the blocks, panel by panel, if there are several blocks.
template <class T>
void block_times_panels(const a_block<T>& a, const tile_split& split, const b_panels<T>& b, index_t n, index_t depth,
                        T* c, index_t ldc, const tile_epilogue<T>& epilogue, const block_series& blocks = {}) noexcept {
  constexpr index_t lanes = simd::lanes<T>, nr = panel_width<T>(native_unit);
  constexpr int nv = tile_vectors;
  const b_panels<T> copied = b.copy == nullptr ? b : b_panels<T>{b.copy, nr * depth};
  const index_t whole = n / nr, rest = n - whole * nr;
  const auto &tall = a.packed ? gemm_tiles<T, nv, replicates_a<T>(native_unit)> : gemm_tiles<T, nv, false>,
             &narrow = a.packed ? gemm_tiles<T, 1, replicates_a<T>(native_unit)> : gemm_tiles<T, 1, false>;
  tile_run<T> t{.k = depth,
                .a_row = a.row,
                .a_step = a.step,
                .segments = a.segments,
                .b_step = copied.step,
                .ldc = ldc,
                .epilogue = epilogue,
                .fetches_c = true};
  const auto set_height = [&](index_t mr) {
    if (a.packed) t.a_step = mr * a_block<T>::copies;
  };
  const auto run_down = [&](const auto& tiles, const T* panel, T* to) {
    t.b_tile = 0;
    if (blocks.count > 1) {
      t.tiles = blocks.count, t.a_tile = blocks.a, t.c_tile = blocks.c;
      for (const auto [i, mr, one] : split.one_by_one()) {
        set_height(mr);
        tiles[static_cast<std::size_t>(mr - 1)](t, a.data + i * a.per_row, panel, to + i * ldc);
      }
      return;
    }
    for (const auto [i, mr, count] : split.runs()) {
      t.tiles = count, t.a_tile = mr * a.per_row, t.c_tile = mr * ldc;
      t.fetch_b = i == 0 ? b.fetched : 0;
      set_height(mr);
      tiles[static_cast<std::size_t>(mr - 1)](t, a.data + i * a.per_row, panel, to + i * ldc);
    }
  };
  if (whole > 0) {
    t.tiles = whole, t.b_tile = b.panel, t.c_tile = nr, t.last_at = nr - lanes, t.last = lanes;
    t.leave(native_unit, nv);
    if ((whole == 1 && b.copy == nullptr) || blocks.count > 1) {
      for (index_t q = 0; q < whole; ++q) {
        if (epilogue.bias != nullptr) t.epilogue.bias = epilogue.bias + q * nr;
        run_down(tall, b.data + q * b.panel, c + q * nr);
      }
    } else {
      for (const auto [i, mr, one] : split.one_by_one()) {
        t.c_after = i + mr < split.height() ? c + (i + mr) * ldc : nullptr;
        if (a.is_far) t.a_after = a.data + (i + mr) * a.per_row;
        const b_panels<T>& read = i == 0 ? b : copied;
        t.b_tile = read.panel, t.b_step = read.step;
        t.fetch_b = i == 0 ? b.fetched : 0;
        t.b_copy = read.copy;
        set_height(mr);
        tall[static_cast<std::size_t>(mr - 1)](t, a.data + i * a.per_row, read.data, c + i * ldc);
      }
      t.b_step = copied.step, t.b_copy = nullptr;
      t.c_after = t.a_after = nullptr;
      t.fetch_b = 0;
    }
  }
  if (rest == 0) return;
  const T* const ragged = copied.data + whole * copied.panel;
  if (epilogue.bias != nullptr) t.epilogue.bias = epilogue.bias + whole * nr;
  t.last_at = rest <= lanes ? 0 : lanes, t.last = rest - t.last_at;
  if (copied.step != nr) {
    t.narrow_b = true;  // one vector
    if (rest > lanes) t.last_at = rest - lanes, t.last = lanes;
  }
  t.leave(native_unit, rest <= lanes ? 1 : nv);
  run_down(rest <= lanes ? narrow : tall, ragged, c + whole * nr);
}

/// Prefetch distance, in rows, of B that was packed before: it comes from beyond L2. 16 to 32 are equally good on an
/// Emerald Rapids, and up to a third faster than none for 16 rows of C (14x4096x1024, 16x2048x512; AVX2 and AVX-512).
inline constexpr index_t fetched_rows = 24;

/// C ← f(α·A·B + β·C + bias) on one thread, in blocks of kc of depth, nc columns and mc rows. A row-major B is packed
/// by the first tiles as they read it: before them, the packing loop waits for memory (114x2733x125: a fifth slower).
/// `packed`, if given, is B packed by pack_b(); g.b then gives only the extents.
/// Requires: the plan of this problem; C with unit column stride; memory for packed_a_elements() and, without `packed`,
/// packed_b_elements().
template <class T>
void gemm_on_panels(const gemm_plan& plan, const gemm_args<T>& g, const T* packed, T* memory) {
  constexpr index_t nr = panel_width<T>(native_unit);
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  T* const b_memory = memory;
  T* const a_memory =
      plan.pack_a ? memory + (packed == nullptr ? packed_b_elements<T>(native_unit, plan, n) : index_t{0}) : nullptr;

  // Copied by the first tile of each panel, which is tall enough unless a block is low.
  const bool copies =
      packed == nullptr && g.b.col_stride == 1 && (m <= plan.mc || 2 * plan.mc > tile_rows(native_unit));
  for (index_t p0 = 0; p0 < k; p0 += plan.kc) {
    const index_t depth = (std::min)(plan.kc, k - p0);
    const bool last_part = p0 + depth == k;
    for (index_t j0 = 0; j0 < n; j0 += plan.nc) {
      const index_t columns = (std::min)(plan.nc, n - j0), full = copies ? columns / nr * nr : 0;
      const tile_epilogue<T> epilogue{.alpha = g.options.alpha,
                                      .beta = p0 == 0 ? g.options.beta : T(1),
                                      .bias = last_part && g.options.bias != nullptr ? g.options.bias + j0 : nullptr,
                                      .relu = last_part && g.options.act == activation::relu,
                                      .streams = plan.streams};
      b_panels<T> b{b_memory, nr * depth};
      if (packed != nullptr) b = {packed + j0 * k + p0 * nr, nr * k, nr, fetched_rows * nr};
      else pack_b_panels(g.b.block(p0, j0 + full, depth, columns - full), b_memory + full * depth);
      for (index_t i0 = 0; i0 < m; i0 += plan.mc) {
        const index_t height = (std::min)(plan.mc, m - i0);
        const tile_split split = tile_split::of(height, native_unit);
        auto a = a_block<T>::of(g.a.block(i0, p0, height, depth), split, a_memory);
        a.is_far = plan.far_a && a.step == 1;
        const bool first = copies && i0 == 0;
        block_times_panels(a, split, first ? b_panels<T>{&g.b(p0, j0), nr, g.b.row_stride, 2 * nr, b_memory} : b,
                           columns, depth, g.c.data + i0 * g.c.row_stride + j0, g.c.row_stride, epilogue);
      }
    }
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

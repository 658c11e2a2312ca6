// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/conv2d_chunks.hpp>
#include <ridgepoint/cpu/conv2d_weights_rows.hpp>
#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/kernels/conv/window_tile.hpp>
#include <ridgepoint/ops/conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The gradient for a filter of one tap as a product of the image as it lies.
template <class T>
struct plain_weights_schedule {
  static constexpr const char* algorithm = "product";
  static constexpr std::size_t sums_bytes = 0;
  gemm_schedule gemm;
  std::size_t worker_bytes = 0;  // of all threads

  explicit plain_weights_schedule(const gemm_schedule& planned) noexcept
      : gemm(planned), worker_bytes(gemm.workspace_bytes()) {}
  [[nodiscard]] static index_t parts() noexcept { return 1; }
  void run(const native_cpu& on, const weights_product<T>& p, T* dw, std::byte*, std::byte* memory) const {
    detail::run(on, gemm, product(p, dw), memory);
    sum_bias(on, p);
  }
  [[nodiscard]] static gemm_args<T> product(const weights_product<T>& p, T* dw) noexcept {
    const index_t pixels = p.source.pixels(), c = p.source.channels;
    return {.a = matrix_view<const T>(p.source.image, pixels, c, p.source.pixel).transposed(),
            .b = {p.dy, pixels, p.columns, p.dy_ld},
            .c = {dw, c, p.columns}};
  }
};

/// How dw ← windowsᵀ · dy is cut: row i of this product is an element of every window, its depth all pixels. Rows of
/// results are taken in chunks, each with a sum of its own; of a chunk some rows at once, whose sources, copied where
/// windows reach beyond the image, and whose dy in panels L2 holds. Tile by tile, elements of their windows are packed
/// in L1 and multiplied with all panels. Where threads outnumber the chunks, elements and columns are parts, too.
template <class T>
struct weights_schedule {
  static constexpr const char* algorithm = "patches";
  window_rows<T> source;
  index_t depth = 0, f = 0;
  chunked_sum<T> chunks, biases;                // of rows of results over all images; of dy
  index_t element_parts = 1, column_parts = 1;  // of a chunk
  index_t elements = 0, columns = 0, rows = 0;  // of a part; at once
  index_t band = 0, panels = 0, tile = 0;       // elements: of copied rows, of dy, of packed windows
  std::size_t sums_bytes = 0, worker_bytes = 0;

  weights_schedule(const native_cpu& on, const weights_product<T>& p) noexcept
      : source(p.source), depth(p.source.depth()), f(p.columns) {
    constexpr index_t nr = kernels::panel_width<T>(kernels::native_unit), mr = kernels::tile_rows(kernels::native_unit),
                      worth_a_chunk = 1 << 22;
    const index_t pixels = source.pixels, all = source.all, filter = depth * f;
    const index_t tiles = ceil_div(depth, mr) * ceil_div(f, nr),
                  worth = std::max<index_t>(1024, worth_a_chunk / filter);
    chunks = chunked_sum<T>(all, filter, std::min(ceil_div(index_t{32}, tiles), all * pixels / worth));
    biases = chunks.of_size(f);
    if (all == 0) return;
    if (const index_t threads = on.thread_count(); threads > 1) {
      const index_t wanted = 4 * threads;
      column_parts = std::clamp<index_t>(wanted / chunks.chunks, 1, ceil_div(f, 2 * nr));
      element_parts = std::clamp<index_t>(wanted / (chunks.chunks * column_parts), 1, ceil_div(depth, 4 * mr));
    }
    columns = round_up(ceil_div(f, column_parts), nr), column_parts = ceil_div(f, columns);
    elements = round_up(ceil_div(depth, element_parts), mr), element_parts = ceil_div(depth, elements);
    rows = source.at_once(chunks.chunk, pixels * round_up(f, nr), gemm_host_caches().l2);  // on any thread
    band = source.copied(rows);
    const bool worth_it = f > simd::lanes<T> && f != nr && elements > 2 * mr, looks_packed = p.dy_ld == nr && f < nr;
    if (worth_it || looks_packed) panels = rows * pixels * columns;  // else they are dy itself
    tile = rows * pixels * std::min(mr, elements) * kernels::a_block<T>::copies + simd::lanes<T>;
    sums_bytes = chunks.bytes + biases.bytes;
    worker_bytes = piece_bytes<T>(band) + piece_bytes<T>(panels) + piece_bytes<T>(tile) + piece_bytes<const T*>(rows);
  }
  [[nodiscard]] index_t parts() const noexcept { return chunks.chunks * element_parts * column_parts; }
  /// Whole vectors of filters, and windows beside the image.
  [[nodiscard]] work executed() const noexcept {
    return products_of(source.all * source.pixels, depth * round_up(f, simd::lanes<T>));
  }

  /// Requires: sums_bytes at `sums`, worker_bytes for every thread at `workers`.
  void run(const native_cpu& on, const weights_product<T>& p, T* dw, std::byte* sums, std::byte* workers) const {
    parallel_for(on.thread_count(), parts(), [&](index_t part, index_t worker) {
      const index_t number = part / (element_parts * column_parts), end = chunks.end(number);
      const share_of mine{part / column_parts % element_parts * elements, part % column_parts * columns};
      T* const db = p.db == nullptr || mine.element > 0 ? nullptr : biases.sum(number, p.db, sums + chunks.bytes);
      for (index_t row = chunks.begin(number); row < end; row += rows)
        add(row, std::min(end, row + rows), mine, p, chunks.sum(number, dw, sums), db,
            T(row == chunks.begin(number) ? 0 : 1), workers + static_cast<std::size_t>(worker) * worker_bytes);
    });
    chunks.finish(on, dw, sums);
    if (p.db != nullptr) biases.finish(on, p.db, sums + chunks.bytes);
  }

 private:
  struct share_of {
    index_t element, column;  // the first
  };
  /// sum ← windowsᵀ · dy + β·sum for rows of results, and db ← Σ dy + β·db while dy is near.
  void add(index_t begin, index_t end, share_of mine, const weights_product<T>& p, T* sum, T* db, T beta,
           std::byte* memory) const {
    constexpr index_t nr = kernels::panel_width<T>(kernels::native_unit);
    T* const copy = reinterpret_cast<T*>(memory);
    T* const packed_b = reinterpret_cast<T*>(memory += piece_bytes<T>(band));
    T* const packed_a = reinterpret_cast<T*>(memory += piece_bytes<T>(panels));
    const T** const line = reinterpret_cast<const T**>(memory += piece_bytes<T>(tile));
    const kernels::segment_rows<T> lines = source.windows.rows();
    const index_t j = mine.column, width = std::min(columns, f - j), pixels = (end - begin) * lines.pixels;
    source.find(begin, end, copy, line);
    const matrix_view<const T> gradients = p.gradients(begin * lines.pixels, pixels, j, width);
    if (panels > 0) kernels::pack_b_panels(gradients, packed_b);
    const kernels::b_panels<T> b =
        panels > 0 ? kernels::b_panels<T>{packed_b, pixels * nr} : kernels::b_panels<T>{gradients.data, nr, p.dy_ld};
    const index_t last = std::min(depth, mine.element + elements);
    kernels::tile_split::of(last - mine.element, kernels::native_unit).for_tiles([&](index_t first, index_t height) {
      const kernels::window_tile<T> windows_tile(lines, mine.element + first, height);
      T* at = packed_a;
      for (index_t i = 0; i < end - begin; ++i) at = windows_tile.pack(line[i], at);
      const kernels::a_block<T> a{packed_a, 0, kernels::a_block<T>::copies, 0, true, {}};
      kernels::block_times_panels(a, kernels::tile_split{1, height, 1}, b, width, pixels,
                                  sum + (mine.element + first) * f + j, f, {.beta = beta});
    });
    if (db != nullptr) add_columns(gradients, beta, db + j);
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/conv2d_chunks.hpp>
#include <ridgepoint/cpu/conv2d_weights_rows.hpp>
#include <ridgepoint/kernels/gemm/in_place.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// What the vectors of a gradient for a filter run along: the filters, or the elements of a row of taps.
enum class vectors_along { filters, taps };

/// How a gradient for a filter is cut that is computed from dy and windows where both lie, nothing packed: dw ←
/// windowsᵀ · dy, whose tiles are some elements of a row of taps high, for rows of few; or dwᵀ ← dyᵀ · windows, turned
/// at the end, for few filters, which would waste most of a vector. A chunk of rows of results has a sum of its own;
/// of these rows some at once, which L1 holds beside their dy, or L2 where rows are few pixels. Where threads outnumber
/// the chunks, rows of taps are parts, too.
template <class T, vectors_along Along>
struct weights_in_place_schedule {
  static constexpr bool turned = Along == vectors_along::taps;
  static constexpr const char* algorithm = turned ? "dots" : "segments";
  window_rows<T> source;
  index_t tap_rows = 0, depth = 0, f = 0;
  chunked_sum<T> chunks, biases;        // of rows of results; of dy
  index_t parts_of_taps = 1, rows = 0;  // of a chunk; rows at once
  index_t band = 0;                     // elements of copied rows
  std::size_t sums_bytes = 0, worker_bytes = 0;

  weights_in_place_schedule(const native_cpu& on, const weights_product<T>& p) noexcept
      : source(p.source), tap_rows(p.source.rows.taps.count), depth(p.source.depth()), f(p.columns) {
    const index_t filter = depth * f, worth = std::max<index_t>(1024, (1 << 20) / filter);
    chunks = chunked_sum<T>(source.all, filter, source.all * source.pixels / worth);
    biases = chunks.of_size(f);
    if (source.all == 0) return;
    if (const index_t threads = on.thread_count(); threads > 1)
      parts_of_taps = std::clamp<index_t>(4 * threads / chunks.chunks, 1, tap_rows);
    rows = turned ? source.at_once(chunks.chunk, 0, gemm_host_caches().l2)
                  : source.at_once(chunks.chunk, source.pixels * f, gemm_host_caches().l1);
    band = source.copied(rows);
    sums_bytes = chunks.bytes + biases.bytes;
    worker_bytes = turned_bytes() + piece_bytes<T>(band) + piece_bytes<const T*>(rows) + piece_bytes<index_t>(rows);
  }
  [[nodiscard]] index_t parts() const noexcept { return chunks.chunks * parts_of_taps; }
  /// Whole vectors, and windows beside the image.
  [[nodiscard]] work executed() const noexcept {
    constexpr index_t lanes = simd::lanes<T>;
    return products_of(source.all * source.pixels,
                       turned ? source.windows.registers() * lanes * f : depth * round_up(f, lanes));
  }

  /// Requires: sums_bytes at `sums`, worker_bytes for every thread at `workers`.
  void run(const native_cpu& on, const weights_product<T>& p, T* dw, std::byte* sums, std::byte* workers) const {
    parallel_for(on.thread_count(), parts(), [&](index_t part, index_t worker) {
      std::byte* const memory = workers + static_cast<std::size_t>(worker) * worker_bytes;
      const index_t number = part / parts_of_taps, i = part % parts_of_taps, end = chunks.end(number);
      const index_t first = i * tap_rows / parts_of_taps, last = (i + 1) * tap_rows / parts_of_taps;
      T* const sum = chunks.sum(number, dw, sums);
      T* const to = turned ? reinterpret_cast<T*>(memory) : sum;
      T* const db = p.db == nullptr || first > 0 ? nullptr : biases.sum(number, p.db, sums + chunks.bytes);
      for (index_t row = chunks.begin(number); row < end; row += rows) {
        const index_t some = std::min(rows, end - row), pixels = source.pixels;
        const T beta(row == chunks.begin(number) ? 0 : 1);
        add(row, row + some, first, last, p, to, beta, memory + turned_bytes());
        if (db != nullptr) add_columns(p.gradients(row * pixels, some * pixels, 0, f), beta, db);
      }
      if constexpr (turned) {
        const index_t tap_row = depth / tap_rows;
        for (index_t e = first * tap_row; e < last * tap_row; ++e)
          for (index_t j = 0; j < f; ++j) sum[e * f + j] = to[j * depth + e];
      }
    });
    chunks.finish(on, dw, sums);
    if (p.db != nullptr) biases.finish(on, p.db, sums + chunks.bytes);
  }

 private:
  [[nodiscard]] std::size_t turned_bytes() const noexcept { return turned ? piece_bytes<T>(depth * f) : 0; }
  /// sum ← windowsᵀ · dy + β·sum, or its transpose, for rows of results and of taps.
  void add(index_t begin, index_t end, index_t first, index_t last, const weights_product<T>& p, T* sum, T beta,
           std::byte* memory) const {
    T* const copy = reinterpret_cast<T*>(memory);
    const T** const line = reinterpret_cast<const T**>(memory += piece_bytes<T>(band));
    index_t* const offsets = reinterpret_cast<index_t*>(memory += piece_bytes<const T*>(rows));
    source.find(begin, end, copy, line);
    for (index_t i = 1; i < end - begin; ++i) offsets[i - 1] = line[i] - line[0];
    const kernels::segment_rows<T> lines = source.windows.rows();
    const T* const dy = p.dy + begin * lines.pixels * p.dy_ld;
    const index_t height = turned ? f : lines.length, width = turned ? lines.length : f;
    kernels::tile_run<T> tile{.k = lines.pixels,
                              .a_row = 1,
                              .a_step = turned ? p.dy_ld : lines.pixel,
                              .segments = {.count = end - begin, .offsets = offsets, .of_b = turned},
                              .b_step = turned ? lines.pixel : p.dy_ld,
                              .ldc = turned ? depth : f,
                              .epilogue = {.beta = beta}};
    const index_t segment = lines.length * (turned ? 1 : f);  // elements of sum from one to the next
    kernels::tile_split::of(height, kernels::native_unit).for_tiles([&](index_t i, index_t mr) {
      kernels::for_panels<T>(
          width, kernels::widest_tile(kernels::native_unit, mr),
          [&](index_t j, index_t panels, int nv, index_t last_at, index_t width_of_last) {
            tile.tiles = panels, tile.b_tile = nv * simd::lanes<T>, tile.c_tile = tile.b_tile;
            tile.last_at = last_at, tile.last = width_of_last, tile.narrow_b = width_of_last < simd::lanes<T>;
            tile.slices = kernels::tile_slices(mr, nv, lines.pixels);
            tile.leave(kernels::native_unit, nv);
            for (index_t t = first; t < last; ++t)
              for (index_t c = 0; c < lines.per_tap_row; ++c) {
                const T* const window = line[0] + t * lines.tap_row + c * lines.tap;
                kernels::tile_in_place<T>(mr, nv)(tile, (turned ? dy : window) + i, (turned ? window : dy) + j,
                                                  sum + i * tile.ldc + j + (t * lines.per_tap_row + c) * segment);
              }
          });
    });
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/conv2d_chunks.hpp>
#include <ridgepoint/cpu/conv2d_weights_rows.hpp>
#include <ridgepoint/kernels/gemm/in_place.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// How dwᵀ ← dyᵀ · windows is cut, for few filters: vectors run along the elements of a row of taps, which are read
/// where they lie, so that nothing is wasted on a narrow dy, and nothing is packed. A chunk of rows of results has a
/// sum of its own, which is turned at the end. Where threads outnumber the chunks, rows of taps are parts, too.
template <class T>
struct turned_weights_schedule {
  static constexpr const char* algorithm = "segments";
  window_rows<T> source;
  index_t tap_rows = 0, depth = 0, f = 0;
  chunked_sum<T> chunks, biases;        // of rows of results; of dy
  index_t parts_of_taps = 1, rows = 0;  // of a chunk; rows at once
  index_t band = 0;                     // elements of copied rows
  std::size_t sums_bytes = 0, worker_bytes = 0;

  turned_weights_schedule(const native_cpu& on, const weights_product<T>& p) noexcept
      : source(p.source), tap_rows(p.source.rows.taps.count), depth(p.source.depth()), f(p.columns) {
    const index_t filter = depth * f, worth = std::max<index_t>(1024, (1 << 20) / filter);
    chunks = chunked_sum<T>(source.all, filter, source.all * source.pixels / worth);
    biases = chunks.of_size(f);
    if (source.all == 0) return;
    if (const index_t threads = on.thread_count(); threads > 1)
      parts_of_taps = std::clamp<index_t>(4 * threads / chunks.chunks, 1, tap_rows);
    rows = source.at_once(chunks.chunk, 0, gemm_host_caches().l2);
    band = source.copied(rows);
    sums_bytes = chunks.bytes + biases.bytes;
    worker_bytes =
        piece_bytes<T>(filter) + piece_bytes<T>(band) + piece_bytes<const T*>(rows) + piece_bytes<index_t>(rows);
  }
  [[nodiscard]] index_t parts() const noexcept { return chunks.chunks * parts_of_taps; }
  /// Whole vectors of the elements of a row of taps, and windows beside the image.
  [[nodiscard]] work executed() const noexcept {
    return products_of(source.all * source.pixels, source.windows.registers() * simd::lanes<T> * f);
  }

  /// Requires: sums_bytes at `sums`, worker_bytes for every thread at `workers`.
  void run(const native_cpu& on, const weights_product<T>& p, T* dw, std::byte* sums, std::byte* workers) const {
    parallel_for(on.thread_count(), parts(), [&](index_t part, index_t worker) {
      std::byte* const memory = workers + static_cast<std::size_t>(worker) * worker_bytes;
      T* const turned = reinterpret_cast<T*>(memory);
      const index_t number = part / parts_of_taps, i = part % parts_of_taps, end = chunks.end(number);
      const index_t first = i * tap_rows / parts_of_taps, last = (i + 1) * tap_rows / parts_of_taps;
      T* const db = p.db == nullptr || first > 0 ? nullptr : biases.sum(number, p.db, sums + chunks.bytes);
      for (index_t row = chunks.begin(number); row < end; row += rows) {
        const index_t some = std::min(rows, end - row), pixels = source.pixels;
        const T beta(row == chunks.begin(number) ? 0 : 1);
        add(row, row + some, first, last, p, turned, beta, memory + piece_bytes<T>(depth * f));
        if (db != nullptr) add_columns(p.gradients(row * pixels, some * pixels, 0, f), beta, db);
      }
      T* const sum = chunks.sum(number, dw, sums);
      const index_t tap_row = depth / tap_rows;
      for (index_t e = first * tap_row; e < last * tap_row; ++e)
        for (index_t j = 0; j < f; ++j) sum[e * f + j] = turned[j * depth + e];
    });
    chunks.finish(on, dw, sums);
    if (p.db != nullptr) biases.finish(on, p.db, sums + chunks.bytes);
  }

 private:
  /// turned ← dyᵀ · windows + β·turned for rows of results and of taps.
  void add(index_t begin, index_t end, index_t first, index_t last, const weights_product<T>& p, T* turned, T beta,
           std::byte* memory) const {
    T* const copy = reinterpret_cast<T*>(memory);
    const T** const line = reinterpret_cast<const T**>(memory += piece_bytes<T>(band));
    index_t* const offsets = reinterpret_cast<index_t*>(memory += piece_bytes<const T*>(rows));
    source.find(begin, end, copy, line);
    for (index_t i = 1; i < end - begin; ++i) offsets[i - 1] = line[i] - line[0];
    const kernels::segment_rows<T> lines = source.windows.rows();
    kernels::tile_run<T> tile{.k = lines.pixels,
                              .a_row = 1,
                              .a_step = p.dy_ld,
                              .segments = {.count = end - begin, .offsets = offsets, .of_b = true},
                              .b_step = lines.pixel,
                              .ldc = depth,
                              .epilogue = {.beta = beta}};
    kernels::tile_split::of(f).for_tiles([&](index_t j, index_t mr) {
      kernels::for_panels<T>(
          lines.length, kernels::widest_tile(mr),
          [&](index_t from, index_t panels, int nv, index_t last_at, index_t width_of_last) {
            const index_t width = nv * simd::lanes<T>;
            tile.tiles = panels, tile.b_tile = width, tile.c_tile = width;
            tile.last_at = last_at, tile.last = width_of_last, tile.narrow_b = width_of_last < simd::lanes<T>;
            tile.slices = kernels::tile_slices(mr, nv, lines.pixels);
            tile.leave(nv);
            for (index_t t = first; t < last; ++t)
              for (index_t c = 0; c < lines.per_tap_row; ++c)
                kernels::tile_in_place<T>(mr, nv)(
                    tile, p.dy + begin * lines.pixels * p.dy_ld + j, line[0] + t * lines.tap_row + c * lines.tap + from,
                    turned + j * depth + (t * lines.per_tap_row + c) * lines.length + from);
          });
    });
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/conv2d_chunks.hpp>
#include <ridgepoint/cpu/conv2d_weights_rows.hpp>
#include <ridgepoint/cpu/conv2d_winograd.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// How the gradient for a filter is cut: chunks of tiles that threads compute, each with a sum of its own, and of a
/// chunk parts whose V and D are in L2. The cut depends on the shape alone, and so do the bits.
template <class T, class Tile>
struct winograd_weights_schedule {
  static constexpr const char* algorithm = winograd_name<Tile>;
  kernels::patches<T> tiles, result_tiles;
  chunked_sum<T> chunks;                   // of tiles
  index_t part = 0;                        // tiles
  index_t channels = 0, f = 0, width = 0;  // the last in whole registers
  index_t v_ld = 0, v_plane = 0, d_plane = 0, m_plane = 0;
  index_t copied = 0, packed_a = 0;
  std::size_t sums_bytes = 0, worker_bytes = 0;

  explicit winograd_weights_schedule(const weights_product<T>& p) noexcept
      : tiles(kernels::winograd::tiles_of<Tile>(p.source)),
        result_tiles(kernels::winograd::result_tiles_of<Tile>(p.source, p.dy, p.columns, p.dy_ld)),
        channels(p.source.channels),
        f(p.columns),
        width(round_up(f, simd::lanes<T>)) {
    namespace wg = kernels::winograd;
    constexpr index_t size = sizeof(T), worth_a_chunk = 192;
    const index_t count = tiles.pixels(), l2 = gemm_host_caches().l2;
    chunks = chunked_sum<T>(count, Tile::taps * Tile::taps * channels * f, count / worth_a_chunk);
    v_ld = kernels::row_distance<T>(round_up(channels, simd::lanes<T>));
    m_plane = wg::plane_of<T>(channels * width);
    if (count > 0) {
      const index_t tile_bytes = Tile::points * (v_ld + width) * size, sum_bytes = Tile::points * m_plane * size;
      part = std::clamp<index_t>((l2 * 3 / 4 - sum_bytes) / tile_bytes, 32, 256);
      part = ceil_div(chunks.chunk, ceil_div(chunks.chunk, part));
    }
    v_plane = wg::plane_of<T>(part * v_ld);
    d_plane = wg::plane_of<T>(part * round_up(f, kernels::panel_width<T>(kernels::native_unit)));
    copied = std::max(wg::copied_elements(tiles), wg::copied_elements(result_tiles));
    packed_a = kernels::replicates_a<T>(kernels::native_unit)
                   ? channels * part * kernels::a_block<T>::copies + 2 * simd::lanes<T>
                   : 0;
    sums_bytes = chunks.bytes;
    worker_bytes = piece_bytes<T>(Tile::points * v_plane) + piece_bytes<T>(Tile::points * d_plane) +
                   piece_bytes<T>(Tile::points * m_plane) + piece_bytes<T>(copied) + piece_bytes<T>(packed_a);
  }

  [[nodiscard]] index_t parts() const noexcept { return chunks.chunks; }
  [[nodiscard]] work executed() const noexcept {
    namespace wg = kernels::winograd;
    const auto many = [](index_t a, index_t b) {
      return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
    };
    const index_t count = chunks.terms;
    const std::uint64_t products = 2 * Tile::points * many(count * channels, width);
    const std::uint64_t transforms = wg::input_tile_flop<Tile::edge> * many(count, round_up(channels, simd::lanes<T>)) +
                                     wg::gradient_tile_flop<Tile> * many(count, width) +
                                     wg::weights_tile_flop<Tile> * many(chunks.chunks * channels, width);
    return {.flop = products + transforms, .matrix_flop = products};
  }
  /// Requires: sums_bytes at `sums`, worker_bytes for every thread at `workers`.
  void run(const native_cpu& on, const weights_product<T>& p, T* dw, std::byte* sums, std::byte* workers) const {
    namespace wg = kernels::winograd;
    constexpr index_t nr = kernels::panel_width<T>(kernels::native_unit);
    const auto elements = [](index_t n) { return piece_bytes<T>(n) / sizeof(T); };
    parallel_for(on.thread_count(), parts(), [&](index_t number, index_t worker) {
      T* const v = reinterpret_cast<T*>(workers + static_cast<std::size_t>(worker) * worker_bytes);
      T* const d = v + elements(Tile::points * v_plane);
      T* const m = d + elements(Tile::points * d_plane);
      T* const copy = m + elements(Tile::points * m_plane);
      T* const a_memory = packed_a > 0 ? copy + elements(copied) : nullptr;
      const index_t first = chunks.begin(number), last = chunks.end(number);
      for (index_t begin = first; begin < last; begin += part) {
        const index_t end = std::min(last, begin + part);
        wg::transform_input<Tile::edge>(tiles, begin, end, v, v_ld, v_plane, copy);
        wg::transform_gradient<Tile>(result_tiles, begin, end, d, part * nr, d_plane, copy);
        wg::point_products<T>{.points = Tile::points,
                              .a = matrix_view<const T>(v, end - begin, channels, v_ld).transposed(),
                              .a_plane = v_plane,
                              .b = {d, part * nr},
                              .b_plane = d_plane,
                              .c = {m, channels, width},
                              .c_plane = m_plane,
                              .beta = T(begin == first ? 0 : 1),
                              .depth_parts = ceil_div(end - begin, 128)}
            .run(a_memory, [](index_t) {});
      }
      wg::transform_weights<Tile>(m, width, m_plane, channels, f, chunks.sum(number, dw, sums), f, channels * f);
    });
    chunks.finish(on, dw, sums);
    sum_bias(on, p);
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/conv2d_dots.hpp>
#include <ridgepoint/cpu/conv2d_joined.hpp>
#include <ridgepoint/cpu/conv2d_patches.hpp>
#include <ridgepoint/cpu/conv2d_segments.hpp>
#include <ridgepoint/cpu/conv2d_weights.hpp>
#include <ridgepoint/cpu/conv2d_weights_in_place.hpp>
#include <ridgepoint/cpu/conv2d_winograd_weights.hpp>
#include <ridgepoint/kernels/gemm/cost.hpp>

/// \file
/// Predicted cycles of the schedules of a convolution on one thread, in the terms of kernels/gemm/cost.hpp: steps of
/// register tiles, lanes without an element included, what a tile costs beside them, and bytes that are copied, packed
/// or read from beyond L2. They rank schedules, as those of GEMM.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail::cost {

using kernels::cost::call;
using kernels::cost::fold;
using kernels::cost::l2_byte;
using kernels::cost::pack_byte;
using kernels::cost::per_fma;
using kernels::cost::per_store;
using kernels::cost::real;

inline constexpr double copy_byte = 0.01;                     // of rows with zeros around them
inline constexpr double gather_byte = 0.35, gather_run = 15;  // of patches: a row of taps is a run
inline constexpr double row = 3;                              // of results, computed by themselves
inline constexpr double segment = 0.5;                        // a tile goes on to the next
inline constexpr double packed_piece = 3.4;                   // of a window, a register at most
inline constexpr double turned = 3;                           // an element, stored by columns
inline constexpr double dot_step = 0.6, dot_load = 0.8;       // of a register of the depth
inline constexpr double turned_byte = 0.03;                   // of a filter by columns, that L1 does not hold
inline constexpr double product = 50;                         // of one point
inline constexpr double edge_byte = 0.03;                     // of tiles that reach beyond the image
inline constexpr double near_byte = 0.03, far_byte = 0.15;  // of what L2 does not hold, and beyond four times its size
inline constexpr double written_share = 0.1;                // of these, where results are written from end to end
inline constexpr double strewn_byte = 0.3;                  // of results beyond L2, where tiles write them
inline constexpr double transform = 2.6;                    // of its arithmetic: what it reads and writes is in L2

/// The cycles of an FMA of one register here, where per_fma says how many the instruction set has.
[[nodiscard]] inline double pace() noexcept {
  return simd::native::width_bytes == 64 && simd::cpu_halves_zmm() ? 2 : 1;
}
/// Panels at that pace.
template <class T>
[[nodiscard]] double panels(index_t mr, index_t n, int nv, index_t depth, int slices, double per_b_byte) noexcept {
  return kernels::cost::panels<T>(kernels::native_unit, mr, n, nv, depth, slices, per_b_byte / pace()) * pace();
}
[[nodiscard]] inline double bytes_of(index_t elements, std::size_t size) noexcept {
  return real(elements) * static_cast<double>(size);
}
/// So many passes over values that lie side by side.
template <class T>
[[nodiscard]] double passes(double count, index_t values) noexcept {
  const double bytes = bytes_of(values, sizeof(T)), l2 = real(gemm_host_caches().l2);
  return bytes <= l2 / 2 ? 0 : count * bytes * (bytes <= 4 * l2 ? near_byte : far_byte);
}
/// The image.
template <class T>
[[nodiscard]] double image(const conv_product<T>& p) noexcept {
  const kernels::patches<T>& s = p.source;
  return passes<T>(1, s.images * s.rows.sources * s.columns.sources * s.channels);
}
/// The image, and the results, from end to end.
template <class T>
[[nodiscard]] double memory(const conv_product<T>& p) noexcept {
  return image(p) + passes<T>(written_share, p.source.pixels() * p.columns());
}
/// A block of rows times n columns of depth k in panels, in so many segments.
template <class T>
[[nodiscard]] double block(const kernels::tile_split& split, index_t n, index_t k, index_t segments,
                           double per_b_byte) noexcept {
  constexpr int nv = kernels::tile_vectors;
  const double per_panel = real(segments) * segment * real(ceil_div(n, kernels::panel_width<T>(kernels::native_unit)));
  double cycles = 0;
  split.for_runs([&](index_t, index_t mr, index_t count) {
    cycles += real(count) * (panels<T>(mr, n, nv, k, 1, per_b_byte) + per_panel);
  });
  return cycles;
}
/// The filter in panels.
template <class T>
[[nodiscard]] double packed_filter(const conv_product<T>& p, index_t elements, filter_is filter) noexcept {
  if (filter == filter_is::constant) return 0;
  return p.tap_filter.col_stride == 1 ? bytes_of(elements, sizeof(T)) * pack_byte : real(elements) * turned;
}
/// use(rows) for all result rows that are alike.
template <class T, class Use>
void for_alike(const conv_product<T>& p, Use&& use) {
  for (index_t r = 0; r < p.source.rows.results;) {
    const alike_rows rows = rows_alike(p.source.rows, r, p.source.rows.results);
    use(real(rows.count * p.source.images), rows.last_tap - rows.first_tap);
    r += rows.count;
  }
}
/// A byte of a panel of so many rows that tiles read again: nothing where L1 holds it.
template <class T>
[[nodiscard]] double panel_byte(index_t depth) noexcept {
  return 2 * depth * kernels::panel_width<T>(kernels::native_unit) * static_cast<index_t>(sizeof(T)) <=
                 gemm_host_caches().l1
             ? 0
             : l2_byte;
}

template <class T>
[[nodiscard]] double cycles(const plain_schedule<T>& s, const conv_product<T>&, filter_is) noexcept {
  return s.gemm.plan.cycles * pace();
}
template <class T>
[[nodiscard]] double copies(const image_bands<T>& b) noexcept {
  return bytes_of(b.band * b.bands * b.all_images, sizeof(T)) * copy_byte;
}
template <class T>
[[nodiscard]] double cycles(const segment_schedule<T>& s, const conv_product<T>& p, filter_is filter) noexcept {
  if (p.source.depth() == 0) return real(p.source.pixels() * p.columns());
  const kernels::segment_rows<T> lines = s.bands.windows.rows();
  const index_t two = lines.pairs && p.is_flat() ? 2 : 1, tap_row = lines.per_tap_row * lines.length;
  const kernels::tile_split split = lines.split(two);
  double sum = copies(s.bands) + memory(p) + passes<T>(real(s.parts()), s.packed) + packed_filter(p, s.packed, filter);
  for_alike(p, [&](double rows, index_t taps) {
    sum += rows * row / real(two) +
           rows / real(two) *
               block<T>(split, p.columns(), taps * tap_row, taps * lines.per_tap_row, panel_byte<T>(taps * tap_row));
  });
  return sum;
}
template <class T, class Args>
[[nodiscard]] double cycles(const joined_schedule<T>& s, const joined_product<Args>& p, filter_is filter) noexcept {
  const conv_product<T>& all = p.product;
  const segment_schedule<T>& segments = s;
  const double rows = real(all.source.images * all.source.rows.results);
  return cycles(segments, all, filter) +
         (all.is_cut() ? rows * (call + bytes_of(all.row_elements, sizeof(T)) * pack_byte) : 0);
}
template <class T>
[[nodiscard]] double cycles(const patch_schedule<T>& s, const conv_product<T>& p, filter_is filter) noexcept {
  if (p.source.depth() == 0) return real(p.source.pixels() * p.columns());
  if (s.pixels == 0) return 0;
  const index_t k = p.source.depth(), slices = ceil_div(k, s.plan.kc);
  const double gathered = bytes_of(s.all * k, sizeof(T)) * gather_byte +
                          real(s.all * p.source.rows.taps.count) * gather_run *
                              (p.source.columns.taps.source_step == 1 ? 1 : real(p.source.columns.taps.count));
  const double rows = p.is_flat() ? real(s.parts()) : real(s.all) / real(p.source.columns.results);
  return rows * row + gathered + memory(p) + passes<T>(real(s.parts()), s.packed) + packed_filter(p, s.packed, filter) +
         real(slices * (p.is_flat() ? 1 : s.all / p.source.columns.results)) *
             block<T>(kernels::tile_split::of(p.is_flat() ? s.all : p.source.columns.results, kernels::native_unit),
                      p.columns(), ceil_div(k, slices), 1, l2_byte);
}
template <class T>
[[nodiscard]] double cycles(const dot_schedule<T>& s, const conv_product<T>& p, filter_is filter) noexcept {
  if (p.source.depth() == 0) return real(p.source.pixels() * p.columns());
  const kernels::segment_rows<T> lines = s.bands.windows.rows();
  const index_t n = p.columns(), pixels = p.source.columns.results,
                groups = ceil_div(n, kernels::dot_columns(kernels::native_unit)),
                tap_row = lines.per_tap_row * ceil_div(lines.length, index_t{simd::lanes<T>}),
                filter_row = n * lines.per_tap_row * lines.length * static_cast<index_t>(sizeof(T));
  const double read =
      2 * filter_row > gemm_host_caches().l1
          ? real(filter_row * ceil_div(pixels, kernels::dot_height(kernels::native_unit, pixels))) * turned_byte
          : 0;
  double sum = copies(s.bands) + memory(p) + passes<T>(real(s.parts()), s.packed) +
               (filter == filter_is::constant ? 0 : real(s.packed) * turned);
  for_alike(p, [&](double rows, index_t taps) {
    const double steps = pace() * real(taps * tap_row) * (dot_step * real(n) + dot_load * real(groups));
    sum += rows * (row + real(taps) * read + real(pixels) * (steps + fold * real(n)));
  });
  return sum;
}

/// The transform of so many tiles, a register of channels each.
[[nodiscard]] inline double transformed(index_t tiles, index_t registers, int flop, int stores) noexcept {
  return real(tiles) *
         (call * 2 + real(registers) *
                         std::max(flop * per_fma(kernels::native_unit) * pace(), stores * 1.5 * per_store) * transform);
}
/// The pixels of tiles that reach beyond the image, copied.
template <class T>
[[nodiscard]] double edges(const kernels::patches<T>& tiles) noexcept {
  const auto inside = [](const kernels::tap_grid& line) {
    index_t count = 0;
    for (index_t i = 0; i < line.results; ++i)
      count += line.source(i, 0) >= 0 && line.source(i, line.taps.count - 1) < line.sources ? 1 : 0;
    return count;
  };
  const index_t all = tiles.rows.results * tiles.columns.results;
  return bytes_of(tiles.images * (all - inside(tiles.rows) * inside(tiles.columns)) * tiles.depth(), sizeof(T)) *
         edge_byte;
}
template <class T, class Tile>
[[nodiscard]] double cycles(const winograd_schedule<T, Tile>& s, const conv_product<T>& p, filter_is filter) noexcept {
  namespace wg = kernels::winograd;
  constexpr index_t lanes = simd::lanes<T>;
  if (s.count == 0) return 0;
  const index_t in = ceil_div(s.channels, lanes), out = ceil_div(s.columns, lanes), parts = parts_of_depth(s.channels);
  const index_t written = s.columns * p.source.pixels();
  const double strewn = passes<T>(1, written) > 0 ? bytes_of(written, sizeof(T)) * strewn_byte : 0;
  const double products = real(Tile::points * parts) * block<T>(kernels::tile_split::of(s.count, kernels::native_unit),
                                                                s.columns, s.channels / parts, 1, l2_byte);
  return products + real(Tile::points * parts * s.parts()) * product + edges(s.tiles) +
         transformed(s.count, in, wg::input_tile_flop<Tile::edge> / 2, Tile::points) +
         transformed(s.count, out, wg::output_tile_flop<Tile> / 2, Tile::results * Tile::results) + image(p) + strewn +
         passes<T>(real(s.parts()), s.packed) +
         (filter == filter_is::constant
              ? 0
              : real(s.packed / lanes / Tile::points) * wg::filter_tile_flop<Tile> +
                    packed_filter(p, s.packed / Tile::points * Tile::taps * Tile::taps, filter) +
                    passes<T>(1, s.packed));
}

/// A sum in chunks, added up.
template <class T>
[[nodiscard]] double added(const chunked_sum<T>& chunks) noexcept {
  return chunks.chunks > 1 ? bytes_of(chunks.chunks * chunks.size, sizeof(T)) * pack_byte : 0;
}
template <class T>
[[nodiscard]] double copies(const window_rows<T>& source, index_t band, index_t rows) noexcept {
  return rows == 0 ? 0 : bytes_of(band * ceil_div(source.all, rows), sizeof(T)) * copy_byte;
}
template <class T>
[[nodiscard]] double cycles(const plain_weights_schedule<T>& s, index_t) noexcept {
  return s.gemm.plan.cycles * pace();
}
template <class T>
[[nodiscard]] double cycles(const weights_schedule<T>& s, index_t sources) noexcept {
  if (s.source.all == 0) return 0;
  const index_t groups = ceil_div(s.source.all, s.rows), pixels = s.source.all * s.source.pixels;
  const kernels::tile_split split = kernels::tile_split::of(s.depth, kernels::native_unit);
  const index_t pieces = split.tiles + s.source.windows.count() - 1;  // they end where a tile or a segment does
  const double packed = real(pieces * pixels) * packed_piece * real(kernels::a_block<T>::copies);
  return copies(s.source, s.band, s.rows) + packed +
         (s.panels > 0 ? bytes_of(pixels * s.f, sizeof(T)) * pack_byte : 0) +
         real(groups) * block<T>(split, s.f, ceil_div(pixels, groups), 1, l2_byte) + added(s.chunks) +
         passes<T>(1, sources) + passes<T>(1, pixels * s.f) + passes<T>(2 * real(groups), s.depth * s.f);
}
template <class T, vectors_along Along>
[[nodiscard]] double cycles(const weights_in_place_schedule<T, Along>& s, index_t sources) noexcept {
  if (s.source.all == 0) return 0;
  constexpr bool along_taps = Along == vectors_along::taps;
  const kernels::segment_rows<T> lines = s.source.windows.rows();
  const index_t groups = ceil_div(s.source.all, s.rows), pixels = s.source.all * s.source.pixels,
                depth = ceil_div(pixels, groups), height = along_taps ? s.f : lines.length,
                width = along_taps ? lines.length : s.f, vectors = ceil_div(width, index_t{simd::lanes<T>});
  const bool near = along_taps || 2 * bytes_of(depth * s.f, sizeof(T)) <= real(gemm_host_caches().l1);
  double tiles = 0;
  kernels::tile_split::of(height, kernels::native_unit).for_runs([&](index_t, index_t mr, index_t count) {
    const int nv = kernels::widest_tile(kernels::native_unit, mr);
    const int slices = kernels::tile_slices(mr, static_cast<int>(std::min<index_t>(nv, vectors)), lines.pixels);
    tiles += real(count) * (panels<T>(mr, width, nv, depth, slices, near ? 0 : l2_byte) +
                            real(ceil_div(vectors, nv) * s.rows) * segment);
  });
  return copies(s.source, s.band, s.rows) + real(groups * lines.per_tap_row * s.tap_rows) * tiles +
         (along_taps ? real(s.chunks.chunks * s.depth * s.f) * turned : 0) + added(s.chunks) + passes<T>(1, sources) +
         passes<T>(1, pixels * s.f) +
         passes<T>(2 * real(groups + (along_taps ? 4 * s.chunks.chunks : 0)), s.depth * s.f);
}
template <class T, class Tile>
[[nodiscard]] double cycles(const winograd_weights_schedule<T, Tile>& s, index_t sources) noexcept {
  namespace wg = kernels::winograd;
  constexpr index_t lanes = simd::lanes<T>;
  const index_t count = s.chunks.terms;
  if (count == 0) return 0;
  const index_t parts = s.chunks.chunks * ceil_div(s.chunks.chunk, s.part), depths = parts * ceil_div(s.part, 128),
                in = ceil_div(s.channels, lanes), out = s.width / lanes;
  return real(Tile::points * depths) * product + edges(s.tiles) + edges(s.result_tiles) +
         transformed(count, in, wg::input_tile_flop<Tile::edge> / 2, Tile::points) +
         transformed(count, out, wg::gradient_tile_flop<Tile> / 2, Tile::points) +
         real(Tile::points * depths) * block<T>(kernels::tile_split::of(s.channels, kernels::native_unit), s.f,
                                                ceil_div(count, depths), 1, l2_byte) +
         real(s.chunks.chunks * s.channels * out) * wg::weights_tile_flop<Tile> + added(s.chunks) +
         passes<T>(1, sources) + passes<T>(1, s.f * count * Tile::results * Tile::results) +
         passes<T>(2 * real(parts), Tile::points * s.m_plane);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail::cost

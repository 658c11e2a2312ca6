// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>

#include <ridgepoint/cpu/conv2d_pass.hpp>
#include <ridgepoint/cpu/gemm_schedule.hpp>
#include <ridgepoint/cpu/past_caches.hpp>
#include <ridgepoint/kernels/conv/conv2d_kernels.hpp>
#include <ridgepoint/kernels/conv/segments.hpp>
#include <ridgepoint/kernels/conv/winograd_tiles.hpp>

/// \file
/// How products of convolutions are cut into parts, for each algorithm, and the memory of a thread. The result of a
/// pixel does not depend on its part.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Bands whose source rows, copied where windows reach beyond the image, fill a quarter of L2.
template <class T>
[[nodiscard]] kernels::image_bands bands_of(index_t threads, const kernels::patches<T>& p) noexcept {
  constexpr index_t size = sizeof(T);
  const index_t l2 = gemm_host_caches().l2;
  const kernels::window_segments<T> windows(p);
  kernels::image_bands b{.all_images = p.images, .all_rows = p.rows.results};
  if (p.depth() == 0 || p.pixels() == 0) return b;
  const auto fits = [&](index_t count) { return windows.band_elements(count) * size <= l2 / 4; };
  b.rows = b.all_rows;
  while (b.rows > 1 && !fits(b.rows)) b.rows = ceil_div(b.rows, 2);
  if (threads > 1)
    while (b.rows > 1 && b.all_images * ceil_div(b.all_rows, b.rows) < 4 * threads) b.rows = ceil_div(b.rows, 2);
  b.bands = ceil_div(b.all_rows, b.rows);
  b.images = 1;
  if (b.bands == 1) {
    const index_t most = std::max<index_t>(1, l2 / 4 / size / std::max<index_t>(1, windows.band_elements(b.rows)));
    b.images = (std::min)(most, ceil_div(b.all_images, threads == 1 ? 1 : 4 * threads));
  }
  b.band = windows.copies() ? windows.band_elements(b.rows) : 0;
  return b;
}
template <class T>
kernels::band_memory<T> memory_of(kernels::vector_unit v, const conv_product<T>& p, const kernels::segments_cut& s,
                                  std::byte* memory, std::size_t& bytes) noexcept {
  kernels::band_memory<T> m{};
  m.copy = take_piece<T>(memory, bytes, s.bands.images * s.bands.band);
  m.offsets = take_piece<index_t>(memory, bytes, kernels::window_segments<T>(p.source).count());
  if (s.spare_rows > 0) m.spare = take_piece<T>(memory, bytes, s.spare_rows * p.spare_row(v.lanes<T>()));
  return m;
}

/// Segments: columns and taps at once whose filter fills half of L2. Where rows are cut, the filter is small, and all
/// columns and taps are taken at once.
template <class T>
[[nodiscard]] kernels::segments_cut cut_segments(kernels::vector_unit v, index_t threads,
                                                 const conv_product<T>& p) noexcept {
  const kernels::gemm_caches& caches = gemm_host_caches();
  const index_t size = sizeof(T), nr = kernels::panel_width<T>(v), k = p.source.depth(), n = p.columns(),
                tap_rows = p.source.rows.taps.count;
  kernels::segments_cut s{.bands = bands_of(threads, p.source), .l1 = caches.l1};
  if (s.bands.parts() == 0) return s;
  if (p.is_cut())
    s.spare_rows = std::clamp<index_t>(caches.l1 / 4 / size / p.spare_row(v.lanes<T>()), 1, p.source.rows.results);
  const index_t tap_row = k / tap_rows;
  s.taps = std::clamp<index_t>(caches.l2 / 2 / size / (tap_row * nr), 1, tap_rows);
  s.columns = (std::max)(nr, caches.l2 / 2 / size / (s.taps * tap_row) / nr * nr);
  const bool once = s.taps >= tap_rows && s.spare_rows == 0 &&
                    (p.options.act == activation::none || p.options.act == activation::relu);
  const kernels::patches<T>& from = p.source;
  const index_t read = from.images * from.rows.sources * from.columns.sources * from.channels;
  if (once) s.how = stores_of_tiles(v, read + from.pixels() * n, p.results, n, p.pixel_step);
  return s;
}

/// Dot products: vectors run along the depth, so that nothing is wasted on few columns. Rows of taps at once fill half
/// of L1 with their part of the filter.
template <class T>
[[nodiscard]] kernels::segments_cut cut_dots(index_t threads, const conv_product<T>& p) noexcept {
  kernels::segments_cut s{.bands = bands_of(threads, p.source)};
  if (s.bands.parts() == 0) return s;
  const index_t tap_rows = p.source.rows.taps.count, tap_row = p.source.depth() / tap_rows * p.columns();
  s.taps = std::clamp<index_t>(gemm_host_caches().l1 / 2 / static_cast<index_t>(sizeof(T)) / tap_row, 1, tap_rows);
  return s;
}
/// Whether dot products may be the quickest way to compute a product: with a register of one value never, else the
/// prediction tells (conv2d_cost.hpp), whose constants are of AVX2 and AVX-512. Where A is packed, with SSE4.2, only a
/// few columns, in fifths of the time that a tile takes for an element of a window:
///   registers·(6·columns + 5) + 30·columns < 5·depth
/// A register of a window is loaded, 5, and multiplied and added for each column, 6; its sum is folded at the end, 30.
template <class T>
[[nodiscard]] bool may_be_dots(kernels::vector_unit v, const conv_product<T>& p) noexcept {
  if (!kernels::replicates_a<T>(v)) return v.lanes<T>() != 1;
  const index_t n = p.columns(), registers = kernels::window_segments<T>(p.source).registers(v);
  return n <= kernels::dot_columns(v) && registers * (6 * n + 5) + 30 * n < 5 * p.source.depth();
}

/// Patches: those of a part, gathered in the memory of a thread, fill a sixteenth of L2.
template <class T>
[[nodiscard]] kernels::patches_cut cut_patches(kernels::vector_unit v, const conv_product<T>& p) noexcept {
  const index_t size = sizeof(T), mr = kernels::tile_rows(v), k = p.source.depth(), n = p.columns(),
                all = p.source.pixels();
  kernels::patches_cut s{.all = all};
  if (k == 0 || all == 0) return s;
  s.ld = kernels::row_distance<T>(k);
  const index_t most = (std::max)(4 * mr, gemm_host_caches().l2 / 16 / (s.ld * size)),
                least_parts = (std::max)(ceil_div(all, most), std::min<index_t>(16, ceil_div(all, 4 * mr)));
  s.pixels = (std::min)(all, round_up(ceil_div(all, least_parts), p.is_flat() ? mr : p.source.columns.results));
  s.plan = kernels::plan_packed<T>(v, s.pixels, n, k, {s.ld, 1}, {n, 1}, gemm_host_caches());
  return s;
}
template <class T>
struct patches_memory {
  T *patches, *packed_a;
};
template <class T>
patches_memory<T> memory_of(kernels::vector_unit v, const kernels::patches_cut& s, std::byte* memory,
                            std::size_t& bytes) noexcept {
  T* const patches = take_piece<T>(memory, bytes, s.pixels * s.ld);
  return {patches, take_piece<T>(memory, bytes, kernels::packed_a_elements<T>(v, s.plan, s.pixels))};
}

/// Types that Winograd's algorithm is compiled for.
template <class T>
concept winograd_element = std::same_as<T, float>;

/// The tile by which an algorithm computes a filter of so many taps a line.
[[nodiscard]] constexpr const kernels::winograd::tile_shape& tile_of(conv_algorithm algorithm, index_t taps) noexcept {
  namespace wg = kernels::winograd;
  if (algorithm == conv_algorithm::winograd_4x4) return wg::shape_of<wg::tile<4, 3>>;
  return taps == 3 ? wg::shape_of<wg::tile<2, 3>> : wg::shape_of<wg::tile<2, 5>>;
}

/// Winograd: V and M of a part fill two fifths of L2, or more than all of it where the filter, read once for each part,
/// is much larger.
template <class T>
[[nodiscard]] kernels::winograd_cut cut_winograd(kernels::vector_unit v, const conv_product<T>& p,
                                                 const kernels::winograd::tile_shape& tile) noexcept {
  namespace wg = kernels::winograd;
  const index_t size = sizeof(T), lanes = v.lanes<T>(), nr = kernels::panel_width<T>(v), mr = kernels::tile_rows(v),
                channels = p.source.channels, l2 = gemm_host_caches().l2;
  const index_t panels_at_once = kernels::replicates_a<T>(v) ? 8 : 1;  // for which A is packed
  kernels::winograd_cut s{.results = tile.results, .taps = tile.taps};
  s.count = wg::tiles_of(p.source, tile.results, tile.edge).pixels();
  s.group = (std::min)(round_up(p.columns(), lanes), panels_at_once * nr);
  s.v_ld = kernels::row_distance<T>(round_up(channels, lanes));
  const index_t tile_bytes = tile.points * (s.v_ld + s.group) * size;
  s.u_plane = wg::plane_of<T>(channels * nr);
  s.u_panel = tile.points * s.u_plane;
  const bool streams = ceil_div(p.columns(), nr) * s.u_panel * size > 2 * l2;  // the filter, from beyond it
  s.fetched = streams ? 4096 / size : 0;
  const index_t part = std::clamp<index_t>((streams ? l2 * 4 / 3 : l2 * 2 / 5) / tile_bytes, 2 * mr, 16 * mr);
  s.part =
      s.count <= part ? s.count : (std::min)(part / mr * mr, round_up(ceil_div(s.count, ceil_div(s.count, part)), mr));
  s.v_plane = wg::plane_of<T>(s.part * s.v_ld);
  s.m_plane = wg::plane_of<T>(s.part * s.group);
  return s;
}
template <class T>
kernels::winograd_memory<T> memory_of(kernels::vector_unit v, const conv_product<T>& p, const kernels::winograd_cut& s,
                                      std::byte* memory, std::size_t& bytes) noexcept {
  namespace wg = kernels::winograd;
  const index_t edge = s.results + s.taps - 1, points = edge * edge;
  kernels::winograd_memory<T> m{};
  m.v = take_piece<T>(memory, bytes, points * s.v_plane);
  m.m = take_piece<T>(memory, bytes, points * s.m_plane);
  m.copy = take_piece<T>(memory, bytes, wg::copied_elements(v, wg::tiles_of(p.source, s.results, edge)));
  if (kernels::replicates_a<T>(v))
    m.packed_a =
        take_piece<T>(memory, bytes, s.part * p.source.channels * kernels::copies_of_a<T>(v) + 2 * v.lanes<T>());
  return m;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

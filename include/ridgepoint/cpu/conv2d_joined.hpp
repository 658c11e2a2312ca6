// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>

#include <ridgepoint/cpu/conv2d_cuts.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A row of results of a pass.
template <class T>
[[nodiscard]] kernels::result_line line_of(const conv_pass<T>& a) noexcept {
  return {a.geometry.columns(), a.direction};
}

/// Makes p, the product of pixels like the first, that of rows of results some adjacent pixels of which are computed as
/// one, of more columns:
///   (y(j), …, y(j + joined − 1)) ← (the sources of these pixels) · filter', where column block i of filter' is the
/// filter, shifted by i pixels, and zero elsewhere. Vectors of columns are filled that one pixel leaves empty, and
/// tiles of a gradient for the image need not be cut into phases. Its filter is made by kernels::pack_joined_filter.
template <class T>
void join(const conv_pass<T>& a, index_t joined, conv_product<T>& p) noexcept {
  const kernels::result_line line = line_of(a);
  const kernels::joined_window window(line, joined);
  const index_t columns = p.columns();
  kernels::tap_grid& grid = p.source.columns;
  grid.results = ceil_div(line.pixels(), joined);
  grid.step *= joined / line.phases();
  grid.taps = {.count = window.last - window.first, .source = window.first};
  p.tap_filter = {nullptr, p.source.channels, joined * columns};
  p.pixel_step = joined * columns;
  p.row_elements = line.pixels() * columns;
}
/// Most columns of pixels that are computed as one; and on any instruction set.
template <class T>
[[nodiscard]] constexpr index_t joined_columns(kernels::vector_unit v) noexcept {
  return 4 * kernels::panel_width<T>(v);
}
template <class T>
inline constexpr std::size_t most_joined_columns = 4 * kernels::tile_vectors * 64 / sizeof(T);

/// How many adjacent pixels of a pass are best computed as one: more than one, in all phases, of joined_columns at
/// most, in the fewest steps of tiles; 0: none can be joined.
template <class T>
[[nodiscard]] index_t likely_joined(kernels::vector_unit v, const conv_pass<T>& a) noexcept {
  const index_t lanes = v.lanes<T>(), nr = kernels::panel_width<T>(v);
  const conv_product<T> one = product_of(a, 0, spatial(0));
  const kernels::result_line line = line_of(a);
  const index_t pixels = line.pixels(), phases = line.phases(), columns = one.columns(),
                deep = one.source.rows.taps.count * one.source.channels;
  if (a.geometry.groups > 1 || one.is_plain() || one.source.depth() == 0) return 0;
  double best = std::numeric_limits<double>::infinity();
  index_t chosen = 0;
  kernels::joined_window window(line, 0);
  for (index_t joined = phases; joined * columns <= joined_columns<T>(v); joined += phases) {
    window.add(line, joined - phases, joined);
    if (joined == 1) continue;
    const index_t depth = deep * (window.last - window.first), all = joined * columns;
    if (joined >= pixels + phases || packed_elements<T>(v, depth, all) * index_t{sizeof(T)} > gemm_host_caches().l2 / 4)
      break;
    // A panel takes a call, which multiplies one step after the other; storing part of a vector takes longer.
    const auto panels = static_cast<double>(ceil_div(all, nr)), deep_steps = static_cast<double>(depth),
               steps = static_cast<double>(ceil_div(all, lanes)) * deep_steps;
    const double stores = all % lanes == 0 || all < nr ? 3 : 8;
    const double cycles =
        (pixels % joined == 0 ? 0 : 20 + static_cast<double>(pixels * columns) / static_cast<double>(lanes)) +
        40 * panels +
        (std::max)(4 * deep_steps * panels, static_cast<double>(ceil_div(pixels, joined)) * (stores + 0.55 * steps));
    if (cycles < best) best = cycles, chosen = joined;
  }
  return chosen;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

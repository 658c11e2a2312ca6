// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>

#include <ridgepoint/cpu/conv2d_cuts.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A row of results: all its pixels meet the same taps in a forward pass, every stride-th in a gradient for the image.
struct result_line {
  window_axis axis;
  conv_direction direction;

  template <class T>
  explicit result_line(const conv_pass<T>& a) noexcept : axis(a.geometry.columns()), direction(a.direction) {}
  [[nodiscard]] bool is_forward() const noexcept { return direction == conv_direction::forward; }
  [[nodiscard]] index_t phases() const noexcept { return is_forward() ? 1 : axis.stride; }
  [[nodiscard]] index_t pixels() const noexcept { return is_forward() ? axis.outputs() : axis.extent; }
  [[nodiscard]] kernels::tap_grid of_phase(index_t phase) const noexcept {
    return is_forward() ? kernels::taps_forward(axis) : kernels::taps_backward(axis, phase);
  }
  /// use(pixel, source, tap) for the first pixels.
  template <class Use>
  void for_taps(index_t count, const Use& use) const noexcept {
    for (index_t phase = 0; phase < phases(); ++phase) {
      const kernels::tap_grid grid = of_phase(phase);
      for (index_t pixel = phase; pixel < count; pixel += phases())
        for (index_t t = 0; t < grid.taps.count; ++t) use(pixel, grid.source(pixel / phases(), t), grid.tap_of(t));
    }
  }
};

/// The sources that some adjacent pixels of a row read: [first, last), of which pixel i meets some, each through one
/// tap.
struct joined_window {
  index_t first = 0, last = 0;

  joined_window(const result_line& line, index_t pixels) noexcept { add(line, 0, pixels); }
  /// Lets pixels [begin, end) join those before. Requires: both at the beginning of all phases, or at the row's end.
  void add(const result_line& line, index_t begin, index_t end) noexcept {
    const index_t phases = line.phases();
    for (index_t phase = 0; phase < phases; ++phase) {
      const kernels::tap_grid grid = line.of_phase(phase);
      if (grid.taps.count == 0 || begin + phase >= end) continue;
      const index_t low = grid.source(begin / phases, 0),
                    high = grid.source((end - 1 - phase) / phases, grid.taps.count - 1) + 1;
      const bool any = first < last;
      first = any ? std::min(first, low) : low, last = any ? std::max(last, high) : high;
    }
  }
};

/// The product of rows of results some adjacent pixels of which are computed as one, of more columns:
///   (y(j), …, y(j + joined − 1)) ← (the sources of these pixels) · filter', where column block i of filter' is the
/// filter, shifted by i pixels, and zero elsewhere. Vectors of columns are filled that one pixel leaves empty, and tiles
/// of a gradient for the image need not be cut into phases. Its filter is made by pack_joined(). `one`: the product of
/// pixels like the first.
template <class T>
[[nodiscard]] conv_product<T> joined_product(const conv_pass<T>& a, const conv_product<T>& one,
                                             index_t joined) noexcept {
  const result_line line(a);
  const joined_window window(line, joined);
  conv_product<T> p = one;
  kernels::tap_grid& grid = p.source.columns;
  grid.results = ceil_div(line.pixels(), joined);
  grid.step *= joined / line.phases();
  grid.taps = {.count = window.last - window.first, .source = window.first};
  p.tap_filter = {nullptr, one.source.channels, joined * one.columns()};
  p.pixel_step = joined * one.columns();
  p.row_elements = line.pixels() * one.columns();
  return p;
}
/// Packs the filter of joined pixels in panels.
template <class T>
void pack_joined(kernels::vector_unit v, const conv_pass<T>& a, const conv_product<T>& one, index_t joined,
                 T* to) noexcept {
  const result_line line(a);
  const joined_window window(line, joined);
  const kernels::tap_grid& rows = one.source.rows;
  const index_t nr = kernels::panel_width<T>(v), taps = window.last - window.first, channels = one.source.channels,
                columns = one.columns(), depth = rows.taps.count * taps * channels;
  std::fill_n(to, packed_elements<T>(v, depth, joined * columns), T(0));
  for (index_t r = 0; r < rows.taps.count; ++r)
    line.for_taps(joined, [&](index_t pixel, index_t source, index_t tap) {
      const matrix_view<const T> filter = one.filter_at(rows.tap_of(r), tap);
      const index_t from = (r * taps + source - window.first) * channels;
      for (index_t j = 0; j < columns; ++j) {
        const index_t column = pixel * columns + j;
        T* at = to + (column / nr * depth + from) * nr + column % nr;
        for (index_t i = 0; i < channels; ++i, at += nr) *at = filter(i, j);
      }
    });
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
  const result_line line(a);
  const index_t pixels = line.pixels(), phases = line.phases(), columns = one.columns(),
                deep = one.source.rows.taps.count * one.source.channels;
  if (a.geometry.groups > 1 || one.is_plain() || one.source.depth() == 0) return 0;
  double best = std::numeric_limits<double>::infinity();
  index_t chosen = 0;
  joined_window window(line, 0);
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
        std::max(4 * deep_steps * panels, static_cast<double>(ceil_div(pixels, joined)) * (stores + 0.55 * steps));
    if (cycles < best) best = cycles, chosen = joined;
  }
  return chosen;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

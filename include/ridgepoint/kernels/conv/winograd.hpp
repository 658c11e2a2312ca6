// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <type_traits>

#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/kernels/conv/winograd_transforms.hpp>
#include <ridgepoint/kernels/gemm/finish.hpp>
#include <ridgepoint/kernels/gemm/macrokernel.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd {

/// Distance of the planes of the 36 points, `size` elements each.
template <class T>
[[nodiscard]] constexpr index_t plane_of(index_t size) noexcept {
  return round_up(size, line_elements<T>) + line_elements<T>;
}

/// The taps of whole tiles: windows of `width` every four pixels.
[[nodiscard]] constexpr tap_grid tiles_of(const tap_grid& line, index_t width) noexcept {
  return {.results = ceil_div(line.results, out_edge),
          .sources = line.sources,
          .step = out_edge,
          .taps = {.count = width, .source = line.taps.source}};
}
/// What the tiles of a 3×3 convolution of stride 1 read, 6×6 pixels, and what they write, 4×4, as rows of patches.
template <class T>
[[nodiscard]] constexpr patches<T> tiles_of(const patches<T>& p) noexcept {
  return {p.image, p.images, p.channels, tiles_of(p.rows, edge), tiles_of(p.columns, edge), p.pixel};
}
template <class T>
[[nodiscard]] constexpr patches<T> result_tiles_of(const patches<T>& p, const T* results, index_t channels,
                                                   index_t pixel) noexcept {
  const auto in_place = [](const tap_grid& line) { return tap_grid{.results = line.results, .sources = line.results}; };
  return {.image = results,
          .images = p.images,
          .channels = channels,
          .rows = tiles_of(in_place(p.rows), out_edge),
          .columns = tiles_of(in_place(p.columns), out_edge),
          .pixel = pixel};
}

/// Where a tile is among the others of its images, which follow each other row by row.
struct tile_place {
  index_t image, row, column;  // of tiles
  template <class T>
  tile_place(const patches<T>& tiles, index_t tile) noexcept
      : image(tile / tiles.columns.results / tiles.rows.results),
        row(tile / tiles.columns.results % tiles.rows.results),
        column(tile % tiles.columns.results) {}
  template <class T>
  RIDGEPOINT_INLINE void go_on(const patches<T>& tiles) noexcept {
    if (++column < tiles.columns.results) return;
    column = 0;
    if (++row < tiles.rows.results) return;
    row = 0, ++image;
  }
};

/// The pixels that a tile reads: in the image, or copied with zeros around them.
template <class T>
struct tile_pixels {
  const T* first;
  index_t row_step, pixel_step;

  /// Reads round_up(channels, lanes) channels of every pixel. Requires: room for them all at `copy`, and a register.
  tile_pixels(const patches<T>& tiles, index_t tile, const tile_place& at, T* copy) noexcept {
    const tap_grid &rows = tiles.rows, &columns = tiles.columns;
    const index_t i = rows.source(at.row, 0), j = columns.source(at.column, 0), channels = tiles.channels;
    const index_t pixel = (at.image * rows.sources + i) * columns.sources + j;
    const index_t last = pixel + (rows.taps.count - 1) * columns.sources + columns.taps.count - 1;
    if (i >= 0 && j >= 0 && i + rows.taps.count <= rows.sources && j + columns.taps.count <= columns.sources &&
        last * tiles.pixel + round_up(channels, simd::lanes<T>) <=
            (tiles.images * rows.sources * columns.sources - 1) * tiles.pixel + channels) {
      first = tiles.image + pixel * tiles.pixel, pixel_step = tiles.pixel, row_step = columns.sources * pixel_step;
      return;
    }
    gather(tiles, tile, tile + 1, copy, tiles.depth());
    first = copy, pixel_step = channels, row_step = columns.taps.count * channels;
  }
};
/// Elements of `copy`.
template <class T>
[[nodiscard]] constexpr index_t copied_elements(const patches<T>& tiles) noexcept {
  return tiles.depth() + simd::lanes<T>;
}

/// v(ξ, tile, c) ← Bᵀ·x·B for tiles [begin, end), from v on: planes of the 36 points ξ, in them a line for each tile.
template <class T>
RIDGEPOINT_NOINLINE void transform_input(const patches<T>& tiles, index_t begin, index_t end, T* v, index_t ld,
                                         index_t plane, T* copy) noexcept {
  tile_place at(tiles, begin);
  for (index_t tile = begin; tile < end; ++tile, at.go_on(tiles), v += ld) {
    const tile_pixels<T> pixels(tiles, tile, at, copy);
    const auto x = grid<T, edge>::of(pixels.first, pixels.row_step, pixels.pixel_step);
    for (index_t c = 0; c < tiles.channels; c += simd::lanes<T>) input_tile<T>(x, c, writer<T>{v + c, plane});
  }
}

/// The same of dy: d(ξ, tile, f) ← A·dy·Aᵀ in panels of nr columns, `panel` apart.
template <class T>
RIDGEPOINT_NOINLINE void transform_gradient(const patches<T>& tiles, index_t begin, index_t end, T* d, index_t panel,
                                            index_t plane, T* copy) noexcept {
  constexpr index_t nr = panel_width<T>;
  tile_place at(tiles, begin);
  for (index_t tile = begin; tile < end; ++tile, at.go_on(tiles), d += nr) {
    const tile_pixels<T> pixels(tiles, tile, at, copy);
    const auto dy = grid<T, out_edge>::of(pixels.first, pixels.row_step, pixels.pixel_step);
    for (index_t f = 0; f < tiles.channels; f += simd::lanes<T>)
      gradient_tile<T>(dy, f, writer<T>{d + f / nr * panel + f % nr, plane});
  }
}

/// u(ξ, k, column) ← G·w·Gᵀ for some lines k of a panel of the filter, whose nine taps lie packed one after the other.
template <class T>
RIDGEPOINT_NOINLINE void transform_filter(const T* packed, index_t lines, T* u, index_t plane) noexcept {
  const index_t size = lines * panel_width<T>;
  const auto w = grid<T, taps>::of(packed, taps * size, size);
  for (index_t at = 0; at < size; at += simd::lanes<T>) filter_tile<T>(w, at, writer<T>{u + at, plane});
}

/// An image batch seen as tiles of 4×4 pixels, the last of a row or column cut off.
template <class T>
struct tiled_images {
  T* first;
  index_t rows, columns, channels;
  index_t image_step, row_step, pixel_step;

  /// One of its tiles.
  struct tile {
    T* first;
    index_t rows, columns;
  };
  [[nodiscard]] RIDGEPOINT_INLINE tile at(const tile_place& place) const noexcept {
    const index_t i = place.row * out_edge, j = place.column * out_edge;
    return {first + place.image * image_step + i * row_step + j * pixel_step, std::min<index_t>(out_edge, rows - i),
            std::min<index_t>(out_edge, columns - j)};
  }
  /// The same without some first channels.
  [[nodiscard]] tiled_images from_channel(index_t c, index_t count) const noexcept {
    tiled_images part = *this;
    part.first += c, part.channels = count;
    return part;
  }
};

/// Brings the pixels of tiles [begin, end) to L2.
template <class T, class Image>
RIDGEPOINT_INLINE void fetch_tiles(const patches<T>& tiles, const tiled_images<Image>& images, index_t begin,
                                   index_t end) noexcept {
  tile_place place(tiles, begin);
  for (; begin < end; ++begin, place.go_on(tiles)) {
    const auto tile = images.at(place);
    for (index_t i = 0; i < tile.rows; ++i)
      for (index_t j = 0; j < tile.columns; ++j)
        for (index_t c = 0; c < images.channels; c += line_elements<T>)
          __builtin_prefetch(tile.first + i * images.row_step + j * images.pixel_step + c, !std::is_const_v<Image>, 2);
  }
}

/// y ← f(Aᵀ·m·A + bias) for tiles [begin, end), where f is none or relu; m(ξ, tile, channel) in planes. What of a tile
/// is beside the image is dropped.
template <class T>
RIDGEPOINT_NOINLINE void transform_output(const patches<T>& tiles, index_t begin, index_t end, const T* m_first,
                                          index_t ld, index_t plane, const T* bias, activation f,
                                          const tiled_images<T>& y) noexcept {
  using vec = simd::batch<T>;
  const vec least(f == activation::relu ? T(0) : -std::numeric_limits<T>::infinity());
  const index_t row_step = y.row_step, pixel_step = y.pixel_step, channels = y.channels;
  tile_place place(tiles, begin);
  for (; begin < end; ++begin, place.go_on(tiles), m_first += ld) {
    const auto m = grid<T, edge>::of(m_first, edge * plane, plane);
    const auto tile = y.at(place);
    const index_t columns = tile.columns;
    for (index_t c = 0; c < channels; c += simd::lanes<T>) {
      const index_t count = std::min<index_t>(simd::lanes<T>, channels - c);
      const vec offset = bias == nullptr ? vec(T(0)) : simd::load_partial(bias + c, count);
      const bool whole = count == simd::lanes<T> && columns == out_edge;
      T* const first = tile.first + c;
      output_tile<T>(m, c, tile.rows, [&](int i, const vec(&line)[out_edge]) RIDGEPOINT_INLINE_LAMBDA {
        T* to = first + i * row_step;
        if (whole) {
          writer<T> put{to, pixel_step};
          RIDGEPOINT_UNROLL
          for (int j = 0; j < out_edge; ++j) put(simd::max(line[j] + offset, least));
        } else {
          for (int j = 0; j < columns; ++j, to += pixel_step)
            simd::store_partial(to, simd::max(line[j] + offset, least), count);
        }
      });
    }
  }
}

/// y ← f(y) for tiles [begin, end), where f is another.
template <class T>
void finish_tiles(const patches<T>& tiles, index_t begin, index_t end, activation f,
                  const tiled_images<T>& y) noexcept {
  if (f == activation::none || f == activation::relu) return;
  tile_place place(tiles, begin);
  for (; begin < end; ++begin, place.go_on(tiles)) {
    const auto tile = y.at(place);
    for (index_t i = 0; i < tile.rows; ++i)
      finish_activation(f, matrix_view<T>(tile.first + i * y.row_step, tile.columns, y.channels, y.pixel_step));
  }
}

/// dw(tap, line, f) ← Cᵀ·m·C for lines of f values; taps are `tap_step` apart, lines dw_ld.
template <class T>
RIDGEPOINT_NOINLINE void transform_weights(const T* m, index_t ld, index_t plane, index_t lines, index_t f, T* dw,
                                           index_t dw_ld, index_t tap_step) noexcept {
  for (; lines > 0; --lines, m += ld, dw += dw_ld) {
    const auto line = grid<T, edge>::of(m, edge * plane, plane);
    for (index_t j = 0; j < f; j += simd::lanes<T>) {
      const index_t count = std::min<index_t>(simd::lanes<T>, f - j);
      weights_tile<T>(line, j, partial_writer<T>{dw + j, tap_step, count});
    }
  }
}

/// The 36 products c(ξ) ← a(ξ)·b(ξ) + β·c(ξ), b packed in panels of nr columns. `memory`, if given, is for
/// a in the form of packing.
template <class T>
struct point_products {
  matrix_view<const T> a;  // of the first point, as everything here
  index_t a_plane = 0;
  b_panels<T> b = {};
  index_t b_plane = 0;
  matrix_view<T> c = {};
  index_t c_plane = 0;
  T beta = T(0);

  /// after(i) is called after the product of point i.
  template <class After>
  RIDGEPOINT_INLINE void run(T* memory, const After& after) const noexcept {
    const tile_split split = tile_split::of(a.rows);
    for (index_t point = 0; point < points; ++point) {
      const matrix_view<const T> mine{a.data + point * a_plane, a.rows, a.cols, a.row_stride, a.col_stride};
      block_times_panels(a_block<T>::of(mine, split, memory), split, {b.data + point * b_plane, b.panel}, c.cols,
                         a.cols, c.data + point * c_plane, c.row_stride, {.beta = beta});
      after(point);
    }
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd

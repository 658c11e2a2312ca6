// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <type_traits>

#include <ridgepoint/kernels/conv/gather.hpp>
#include <ridgepoint/kernels/conv/winograd_transforms.hpp>
#include <ridgepoint/kernels/conv/winograd_work.hpp>
#include <ridgepoint/kernels/gemm/finish.hpp>
#include <ridgepoint/kernels/gemm/macrokernel.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd {

/// Position of a tile among its images' tiles, which are numbered row by row.
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

/// Pixels that a tile reads: in the image, or copied with zeros around them.
template <class T>
struct tile_pixels {
  const T* first;
  index_t row_step, pixel_step;

  /// Reads round_up(channels, lanes) channels of every pixel. Requires: memory for all of them at `copy`, plus a
  /// register.
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
/// v(ξ, tile, c) ← Bᵀ·x·B for tiles [begin, end), from v on: one plane per point ξ, one line per tile in it.
template <int Edge, class T>
RIDGEPOINT_NOINLINE void transform_input(const patches<T>& tiles, index_t begin, index_t end, T* v, index_t ld,
                                         index_t plane, T* copy) noexcept {
  tile_place at(tiles, begin);
  for (index_t tile = begin; tile < end; ++tile, at.go_on(tiles), v += ld) {
    const tile_pixels<T> pixels(tiles, tile, at, copy);
    const auto x = grid<T, Edge>::of(pixels.first, pixels.row_step, pixels.pixel_step);
    for (index_t c = 0; c < tiles.channels; c += simd::lanes<T>) input_tile<T, Edge>(x, c, writer<T>{v + c, plane});
  }
}

/// d(ξ, tile, f) ← A·dy·Aᵀ for tiles [begin, end), in panels of nr columns with a stride of `panel`.
template <class Tile, class T>
RIDGEPOINT_NOINLINE void transform_gradient(const patches<T>& tiles, index_t begin, index_t end, T* d, index_t panel,
                                            index_t plane, T* copy) noexcept {
  constexpr index_t nr = panel_width<T>(native_unit);
  tile_place at(tiles, begin);
  for (index_t tile = begin; tile < end; ++tile, at.go_on(tiles), d += nr) {
    const tile_pixels<T> pixels(tiles, tile, at, copy);
    const auto dy = grid<T, Tile::results>::of(pixels.first, pixels.row_step, pixels.pixel_step);
    for (index_t f = 0; f < tiles.channels; f += simd::lanes<T>)
      gradient_tile<T, Tile>(dy, f, writer<T>{d + f / nr * panel + f % nr, plane});
  }
}

/// u(ξ, i) ← G·w·Gᵀ for `size` elements of the filter, in full registers, with packed taps.
template <class Tile, class T>
RIDGEPOINT_NOINLINE void transform_filter(const T* packed, index_t size, T* u, index_t plane) noexcept {
  const auto w = grid<T, Tile::taps>::of(packed, Tile::taps * size, size);
  for (index_t at = 0; at < size; at += simd::lanes<T>) filter_tile<T, Tile>(w, at, writer<T>{u + at, plane});
}

/// Image batch as square tiles of `edge` pixels, the last tile of a row or column cut off.
template <class T>
struct tiled_images {
  index_t edge;
  T* first;
  index_t rows, columns, channels;
  index_t image_step, row_step, pixel_step;

  /// One of its tiles.
  struct piece {
    T* first;
    index_t rows, columns;
  };
  [[nodiscard]] RIDGEPOINT_INLINE piece at(const tile_place& place) const noexcept {
    const index_t i = place.row * edge, j = place.column * edge;
    return {first + place.image * image_step + i * row_step + j * pixel_step, (std::min)(edge, rows - i),
            (std::min)(edge, columns - j)};
  }
  /// Returns `count` channels from channel c on.
  [[nodiscard]] tiled_images from_channel(index_t c, index_t count) const noexcept {
    tiled_images part = *this;
    part.first += c, part.channels = count;
    return part;
  }
};

/// Prefetches the pixels of tiles [begin, end) to L2.
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

/// y ← f(Aᵀ·m·A/s² + bias) for tiles [begin, end), f none or relu; m(ξ, tile, channel) in planes. Pixels of a tile
/// outside the image are dropped.
template <class Tile, class T>
RIDGEPOINT_NOINLINE void transform_output(const patches<T>& tiles, index_t begin, index_t end, const T* m_first,
                                          index_t ld, index_t plane, const T* bias, activation f,
                                          const tiled_images<T>& y) noexcept {
  using vec = simd::batch<T>;
  const vec least(f == activation::relu ? T(0) : -std::numeric_limits<T>::infinity());
  const index_t row_step = y.row_step, pixel_step = y.pixel_step, channels = y.channels;
  tile_place place(tiles, begin);
  for (; begin < end; ++begin, place.go_on(tiles), m_first += ld) {
    const auto m = grid<T, Tile::edge>::of(m_first, Tile::edge * plane, plane);
    const auto tile = y.at(place);
    const index_t columns = tile.columns;
    for (index_t c = 0; c < channels; c += simd::lanes<T>) {
      const index_t count = std::min<index_t>(simd::lanes<T>, channels - c);
      const vec offset = bias == nullptr ? vec(T(0)) : simd::load_partial(bias + c, count);
      const bool whole = count == simd::lanes<T> && columns == Tile::results;
      T* const first = tile.first + c;
      output_tile<T, Tile>(m, c, tile.rows, [&](int i, const vec(&line)[Tile::results]) RIDGEPOINT_INLINE_LAMBDA {
        T* to = first + i * row_step;
        if (whole) {
          writer<T> put{to, pixel_step};
          RIDGEPOINT_UNROLL
          for (int j = 0; j < Tile::results; ++j)
            put((simd::max)(times_plus<T>(unscale<T, Tile>, line[j], offset), least));
        } else {
          for (int j = 0; j < columns; ++j, to += pixel_step)
            simd::store_partial(to, (simd::max)(times_plus<T>(unscale<T, Tile>, line[j], offset), least), count);
        }
      });
    }
  }
}

/// y ← f(y) for tiles [begin, end), for the other activations f.
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

/// dw(tap, line, f) ← Gᵀ·m·G/s² for lines of f values; taps have a stride of `tap_step`, lines of dw_ld.
template <class Tile, class T>
RIDGEPOINT_NOINLINE void transform_weights(const T* m, index_t ld, index_t plane, index_t lines, index_t f, T* dw,
                                           index_t dw_ld, index_t tap_step) noexcept {
  for (; lines > 0; --lines, m += ld, dw += dw_ld) {
    const auto line = grid<T, Tile::edge>::of(m, Tile::edge * plane, plane);
    for (index_t j = 0; j < f; j += simd::lanes<T>) {
      const index_t count = std::min<index_t>(simd::lanes<T>, f - j);
      weights_tile<T, Tile>(line, j, partial_writer<T>{dw + j, tap_step, count});
    }
  }
}

/// Products c(ξ) ← a(ξ)·b(ξ) + β·c(ξ), with b packed in panels of nr columns. `memory`, if given, receives packed a.
/// The depth is summed in several parts, each in registers: at small depth the rounding of the sum is most of the
/// error, and splitting the sum costs little.
template <class T>
struct point_products {
  index_t points = 0;
  matrix_view<const T> a;  // of the first point, like all pointers here
  index_t a_plane = 0;
  b_panels<T> b = {};
  index_t b_plane = 0;
  matrix_view<T> c = {};
  index_t c_plane = 0;
  T beta = T(0);
  index_t depth_parts = 1;

  /// Calls after(i) after the product of point i.
  template <class After>
  RIDGEPOINT_INLINE void run(T* memory, const After& after) const noexcept {
    const tile_split split = tile_split::of(a.rows, native_unit);
    for (index_t point = 0; point < points; ++point) {
      for (index_t part = 0; part < depth_parts; ++part) {
        const index_t k = a.cols * part / depth_parts, depth = a.cols * (part + 1) / depth_parts - k;
        const matrix_view<const T> mine{a.data + point * a_plane + k * a.col_stride, a.rows, depth, a.row_stride,
                                        a.col_stride};
        block_times_panels(a_block<T>::of(mine, split, memory), split,
                           {b.data + point * b_plane + k * panel_width<T>(native_unit), b.panel, b.step, b.fetched},
                           c.cols, depth, c.data + point * c_plane, c.row_stride, {.beta = part == 0 ? beta : T(1)});
      }
      after(point);
    }
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd

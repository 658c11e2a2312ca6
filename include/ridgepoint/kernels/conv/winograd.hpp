// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/kernels/conv/winograd_work.hpp>
#include <ridgepoint/kernels/gemm/finish.hpp>
#include <ridgepoint/kernels/gemm/macrokernel.hpp>
#include <ridgepoint/simd/batch.hpp>
#include <ridgepoint/simd/isa.hpp>

/// \file
/// Winograd's algorithm (kernels/conv/winograd_work.hpp): transforms of lines and of tiles in registers, and the loops
/// over the tiles of images. The values
/// at +p and −p share their even and odd parts, so the code computes them as pairs. Work: see winograd_work.hpp.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

template <class T>
using pair = std::array<simd::batch<T>, 2>;

/// 1 / s².
template <class T, class Tile>
inline constexpr T unscale = static_cast<T>(1 / (Tile::scale * Tile::scale));

/// constant·x + y.
template <class T>
RIDGEPOINT_INLINE simd::batch<T> times_plus(T constant, simd::batch<T> x, simd::batch<T> y) noexcept {
  return simd::fma(simd::batch<T>(constant), x, y);
}

/// Entries of Bᵀ: [j][k], coefficient z²ᵏ of Πⱼ; the last row has Π's.
template <class T, int Edge>
inline constexpr auto input_coefficients = [] {
  using at = interpolation<Edge>;
  std::array<std::array<T, at::pairs + 1>, at::pairs + 1> c{};
  for (std::size_t j = 0; j <= at::pairs; ++j)
    for (std::size_t k = 0; k <= at::pairs; ++k)
      c[j][k] = static_cast<T>(at::product(j < at::pairs ? static_cast<int>(j) : -1)[k]);
  return c;
}();
/// Entries of A, or of G if `Scaled`: [j][i], (gⱼ)·pⱼⁱ; the last are 1, or g₀ and s.
template <class T, int Edge, int Count, bool Scaled>
inline constexpr auto value_coefficients = [] {
  using at = interpolation<Edge>;
  std::array<std::array<T, static_cast<std::size_t>(Count)>, at::pairs + 1> c{};
  for (std::size_t j = 0; j < at::pairs; ++j)
    for (std::size_t i = 0; i < static_cast<std::size_t>(Count); ++i)
      c[j][i] = static_cast<T>((Scaled ? at::at_pair(static_cast<int>(j)) : 1) *
                               at::power(static_cast<int>(j), static_cast<int>(i)));
  c[at::pairs][0] = static_cast<T>(Scaled ? at::at_zero : 1);
  c[at::pairs][1] = static_cast<T>(Scaled ? at::scale : 1);
  return c;
}();

/// Bᵀ·d at 0, from d₀, d₂ …, or at ∞, from d₁, d₃ …: d(k) returns them.
template <class T, int Edge, class D>
RIDGEPOINT_INLINE simd::batch<T> input_end(const D& d) noexcept {
  constexpr int q = interpolation<Edge>::pairs;
  constexpr const auto& c = input_coefficients<T, Edge>[q];
  simd::batch<T> sum = d(q);
  RIDGEPOINT_UNROLL
  for (int k = q - 1; k >= 0; --k) sum = times_plus<T>(c[static_cast<std::size_t>(k)], d(k), sum);
  return sum;
}
/// Bᵀ·d at ±pⱼ; d(i) returns the values.
template <class T, int Edge, class D>
RIDGEPOINT_INLINE pair<T> input_pair(std::size_t j, const D& d) noexcept {
  constexpr int q = interpolation<Edge>::pairs;
  const auto& c = input_coefficients<T, Edge>[j];
  const T point = static_cast<T>(point_set<Edge>::point[j]);
  simd::batch<T> even = d(2 * q), odd = d(2 * q - 1);
  RIDGEPOINT_UNROLL
  for (int k = q - 2; k >= 0; --k) {
    const T each = c[static_cast<std::size_t>(k)];
    even = times_plus<T>(each, d(2 * k + 2), even), odd = times_plus<T>(each, d(2 * k + 1), odd);
  }
  return {times_plus<T>(point, odd, even), times_plus<T>(-point, odd, even)};
}

/// A·x at ±pⱼ, or G·x if `Scaled`, for `Count` values.
template <class T, int Edge, int Count, bool Scaled>
RIDGEPOINT_INLINE pair<T> values_at(std::size_t j, const simd::batch<T> (&x)[Count]) noexcept {
  const auto& c = value_coefficients<T, Edge, Count, Scaled>[j];
  const auto& powers = value_coefficients<T, Edge, Count, false>[j];
  simd::batch<T> even = Scaled ? simd::batch<T>(c[0]) * x[0] : x[0], odd = x[1];
  RIDGEPOINT_UNROLL
  for (int i = 2; i < Count; i += 2) even = times_plus<T>(c[static_cast<std::size_t>(i)], x[i], even);
  RIDGEPOINT_UNROLL
  for (int i = 3; i < Count; i += 2) odd = times_plus<T>(powers[static_cast<std::size_t>(i - 1)], x[i], odd);
  return {times_plus<T>(c[1], odd, even), times_plus<T>(-c[1], odd, even)};
}
/// A·x or, if `Scaled`, G·x at 0 or ∞.
template <class T, int Edge, bool Scaled>
RIDGEPOINT_INLINE simd::batch<T> value_at_end(std::size_t infinite, simd::batch<T> x) noexcept {
  if constexpr (!Scaled) return x;
  return simd::batch<T>(value_coefficients<T, Edge, 2, true>[interpolation<Edge>::pairs][infinite]) * x;
}
/// A·x or G·x at all points in the order 0, p₁, −p₁, …, ∞.
template <class T, int Edge, bool Scaled, int Count>
RIDGEPOINT_INLINE void values_of(const simd::batch<T> (&x)[Count], simd::batch<T> (&v)[Edge]) noexcept {
  v[0] = value_at_end<T, Edge, Scaled>(0, x[0]), v[Edge - 1] = value_at_end<T, Edge, Scaled>(1, x[Count - 1]);
  RIDGEPOINT_UNROLL
  for (int j = 0; j < interpolation<Edge>::pairs; ++j) {
    const pair<T> both = values_at<T, Edge, Count, Scaled>(static_cast<std::size_t>(j), x);
    v[2 * j + 1] = both[0], v[2 * j + 2] = both[1];
  }
}

/// Values Parity, Parity + 2 … of the `Count` values of Aᵀ·m, or of Gᵀ·m if `Scaled`.
template <class T, int Edge, int Count, bool Scaled, int Parity>
RIDGEPOINT_INLINE void interpolated(const simd::batch<T> (&m)[Edge],
                                    simd::batch<T> (&y)[(Count + 1 - Parity) / 2]) noexcept {
  using vec = simd::batch<T>;
  constexpr int q = interpolation<Edge>::pairs;
  constexpr const auto& c = value_coefficients<T, Edge, Count, Scaled>;
  vec both[q];
  RIDGEPOINT_UNROLL
  for (int j = 0; j < q; ++j) both[j] = Parity == 0 ? m[2 * j + 1] + m[2 * j + 2] : m[2 * j + 1] - m[2 * j + 2];
  RIDGEPOINT_UNROLL
  for (int i = Parity; i < Count; i += 2) {
    const auto at = static_cast<std::size_t>(i);
    const bool last = i == Count - 1;
    vec sum = i == 0 || last
                  ? times_plus<T>(c[0][at], both[0], value_at_end<T, Edge, Scaled>(last, m[last ? Edge - 1 : 0]))
                  : vec(c[0][at]) * both[0];
    RIDGEPOINT_UNROLL
    for (int j = 1; j < q; ++j) sum = times_plus<T>(c[static_cast<std::size_t>(j)][at], both[j], sum);
    y[i / 2] = sum;
  }
}

/// Grid of registers in memory: (i, j) at row[i] + j·step. Read column by column, with the offset computed on use:
/// otherwise GCC 12 computes the addresses of all registers beforehand, and spills them.
template <class T, int Rows>
struct grid {
  const T* row[Rows];
  index_t step;

  /// Returns a grid with a row stride of `row_step`.
  [[nodiscard]] static RIDGEPOINT_INLINE grid of(const T* first, index_t row_step, index_t step) noexcept {
    grid g{{}, step};
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Rows; ++i) g.row[i] = first + i * row_step;
    return g;
  }
  [[nodiscard]] RIDGEPOINT_INLINE simd::batch<T> load(int i, index_t at) const noexcept {
    return simd::load(row[i] + at);
  }
  RIDGEPOINT_INLINE void load_column(index_t at, simd::batch<T> (&x)[Rows]) const noexcept {
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Rows; ++i) x[i] = load(i, at);
  }
  [[nodiscard]] RIDGEPOINT_INLINE index_t next(index_t at) const noexcept {
    at += step;
    asm("" : "+r"(at));
    return at;
  }
};

/// Stores registers in sequence, with a stride of `step`.
template <class T>
struct writer {
  T* to;
  index_t step;
  RIDGEPOINT_INLINE void operator()(simd::batch<T> x) noexcept {
    simd::store(to, x);
    to = simd::next_line(to, step);
  }
};

/// Stores the first `count` lanes of registers in sequence.
template <class T>
struct partial_writer {
  T* to;
  index_t step, count;
  RIDGEPOINT_INLINE void operator()(simd::batch<T> x) noexcept {
    simd::store_partial(to, x, count);
    to = simd::next_line(to, step);
  }
};

/// Bᵀ·x·B of one register of channels, at `at` of x; passes results row by row to `put`.
///
/// Computes row by row, rows of ±p together: 84 loads for 6×6, but at most 12 intermediate values; two passes
/// over all 36 would not fit 16 registers. Work: input_tile_flop<Edge> per channel.
template <class T, int Edge, class Put>
RIDGEPOINT_INLINE void input_tile(const grid<T, Edge>& x, index_t at, Put put) noexcept {
  using vec = simd::batch<T>;
  const auto line = [&](const vec(&t)[Edge]) RIDGEPOINT_INLINE_LAMBDA {
    const auto all = [&](int i) RIDGEPOINT_INLINE_LAMBDA { return t[i]; };
    put(input_end<T, Edge>([&](int k) RIDGEPOINT_INLINE_LAMBDA { return t[2 * k]; }));
    RIDGEPOINT_UNROLL
    for (int j = 0; j < interpolation<Edge>::pairs; ++j) {
      const pair<T> both = input_pair<T, Edge>(static_cast<std::size_t>(j), all);
      put(both[0]), put(both[1]);
    }
    put(input_end<T, Edge>([&](int k) RIDGEPOINT_INLINE_LAMBDA { return t[2 * k + 1]; }));
  };
  const auto end = [&](int first) RIDGEPOINT_INLINE_LAMBDA {
    vec t[Edge];
    index_t from = at;
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Edge; ++i, from = x.next(from))
      t[i] = input_end<T, Edge>([&](int k) RIDGEPOINT_INLINE_LAMBDA { return x.load(first + 2 * k, from); });
    line(t);
  };
  end(0);
  RIDGEPOINT_UNROLL
  for (int j = 0; j < interpolation<Edge>::pairs; ++j) {
    vec t[Edge], u[Edge];
    index_t from = at;
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Edge; ++i, from = x.next(from)) {
      const pair<T> both = input_pair<T, Edge>(static_cast<std::size_t>(j),
                                               [&](int k) RIDGEPOINT_INLINE_LAMBDA { return x.load(k, from); });
      t[i] = both[0], u[i] = both[1];
    }
    line(t);
    line(u);
  }
  end(1);
}

/// Calls put(i, y) with row i of Aᵀ·m·A, i < rows. Work: output_tile_flop per channel.
template <class T, class Tile, class Put>
RIDGEPOINT_INLINE void output_tile(const grid<T, Tile::edge>& m, index_t at, index_t rows, const Put& put) noexcept {
  using vec = simd::batch<T>;
  constexpr int edge = Tile::edge, results = Tile::results;
  const auto line = [&](int i, const vec(&t)[edge]) RIDGEPOINT_INLINE_LAMBDA {
    if (i >= rows) return;
    vec even[(results + 1) / 2], odd[results / 2], y[results];
    interpolated<T, edge, results, false, 0>(t, even);
    interpolated<T, edge, results, false, 1>(t, odd);
    RIDGEPOINT_UNROLL
    for (int j = 0; j < results; ++j) y[j] = j % 2 == 0 ? even[j / 2] : odd[j / 2];
    put(i, y);
  };
  const auto lines = [&]<int Parity>(std::integral_constant<int, Parity>) RIDGEPOINT_INLINE_LAMBDA {
    constexpr int count = (results + 1 - Parity) / 2;
    vec t[count][edge];
    index_t from = at;
    RIDGEPOINT_UNROLL
    for (int j = 0; j < edge; ++j, from = m.next(from)) {
      vec column[edge], y[count];
      m.load_column(from, column);
      interpolated<T, edge, results, false, Parity>(column, y);
      RIDGEPOINT_UNROLL
      for (int i = 0; i < count; ++i) t[i][j] = y[i];
    }
    RIDGEPOINT_UNROLL
    for (int i = 0; i < count; ++i) line(2 * i + Parity, t[i]);
  };
  lines(std::integral_constant<int, 0>{});
  if (rows >= 2) lines(std::integral_constant<int, 1>{});
}

/// A·dy·Aᵀ, row by row. Work: gradient_tile_flop per channel.
template <class T, class Tile, class Put>
RIDGEPOINT_INLINE void gradient_tile(const grid<T, Tile::results>& dy, index_t at, Put put) noexcept {
  using vec = simd::batch<T>;
  constexpr int edge = Tile::edge, results = Tile::results;
  const auto line = [&](const vec(&t)[results]) RIDGEPOINT_INLINE_LAMBDA {
    vec v[edge];
    values_of<T, edge, false>(t, v);
    RIDGEPOINT_UNROLL
    for (int j = 0; j < edge; ++j) put(v[j]);
  };
  const auto end = [&](int row) RIDGEPOINT_INLINE_LAMBDA {
    vec t[results];
    index_t from = at;
    RIDGEPOINT_UNROLL
    for (int j = 0; j < results; ++j, from = dy.next(from)) t[j] = dy.load(row, from);
    line(t);
  };
  end(0);
  RIDGEPOINT_UNROLL
  for (int p = 0; p < Tile::pairs; ++p) {
    vec t[results], u[results];
    index_t from = at;
    RIDGEPOINT_UNROLL
    for (int j = 0; j < results; ++j, from = dy.next(from)) {
      vec column[results];
      dy.load_column(from, column);
      const pair<T> both = values_at<T, edge, results, false>(static_cast<std::size_t>(p), column);
      t[j] = both[0], u[j] = both[1];
    }
    line(t);
    line(u);
  }
  end(results - 1);
}

/// G·w·Gᵀ, row by row. Work: filter_tile_flop per line and column of the filter.
template <class T, class Tile, class Put>
RIDGEPOINT_INLINE void filter_tile(const grid<T, Tile::taps>& w, index_t at, Put put) noexcept {
  using vec = simd::batch<T>;
  constexpr int edge = Tile::edge, taps = Tile::taps;
  vec t[edge][taps];
  RIDGEPOINT_UNROLL
  for (int j = 0; j < taps; ++j, at = w.next(at)) {
    vec column[taps], u[edge];
    w.load_column(at, column);
    values_of<T, edge, true>(column, u);
    RIDGEPOINT_UNROLL
    for (int i = 0; i < edge; ++i) t[i][j] = u[i];
  }
  RIDGEPOINT_UNROLL
  for (int i = 0; i < edge; ++i) {
    vec u[edge];
    values_of<T, edge, true>(t[i], u);
    RIDGEPOINT_UNROLL
    for (int j = 0; j < edge; ++j) put(u[j]);
  }
}

/// Gᵀ·m·G / s², row by row. Work: weights_tile_flop per line and column of the filter.
template <class T, class Tile, class Put>
RIDGEPOINT_INLINE void weights_tile(const grid<T, Tile::edge>& m, index_t at, Put put) noexcept {
  using vec = simd::batch<T>;
  constexpr int edge = Tile::edge, taps = Tile::taps;
  const auto line = [](const vec(&t)[edge], vec(&w)[taps]) RIDGEPOINT_INLINE_LAMBDA {
    vec even[(taps + 1) / 2], odd[taps / 2];
    interpolated<T, edge, taps, true, 0>(t, even);
    interpolated<T, edge, taps, true, 1>(t, odd);
    RIDGEPOINT_UNROLL
    for (int i = 0; i < taps; ++i) w[i] = i % 2 == 0 ? even[i / 2] : odd[i / 2];
  };
  vec t[taps][edge];
  RIDGEPOINT_UNROLL
  for (int j = 0; j < edge; ++j, at = m.next(at)) {
    vec column[edge], w[taps];
    m.load_column(at, column);
    line(column, w);
    RIDGEPOINT_UNROLL
    for (int i = 0; i < taps; ++i) t[i][j] = w[i];
  }
  RIDGEPOINT_UNROLL
  for (int i = 0; i < taps; ++i) {
    vec w[taps];
    line(t[i], w);
    RIDGEPOINT_UNROLL
    for (int j = 0; j < taps; ++j) put(vec(unscale<T, Tile>) * w[j]);
  }
}

#pragma GCC diagnostic pop

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

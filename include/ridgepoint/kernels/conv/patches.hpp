// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/conv/tap_run.hpp>
#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// The matrix whose product with a filter is a convolution: a row for each result pixel (image, row, column), in it
/// what its taps read (tap row, tap column, channel), zero beside the image.
template <class T>
struct patches {
  const T* image = nullptr;  // (images, rows.sources, columns.sources, channels)
  index_t images = 0, channels = 0;
  tap_run rows, columns;

  [[nodiscard]] constexpr index_t pixels() const noexcept { return images * rows.results * columns.results; }
  [[nodiscard]] constexpr index_t depth() const noexcept { return rows.count * columns.count * channels; }
  /// Whether the image is this matrix.
  [[nodiscard]] constexpr bool are_in_place() const noexcept { return rows.is_identity() && columns.is_identity(); }
};

namespace detail {

template <class T>
RIDGEPOINT_INLINE void copy_run(const T* from, T* to, index_t count) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  if (count < lanes) {
    for (index_t i = 0; i < count; ++i) to[i] = from[i];
    return;
  }
  for (index_t i = 0; i + lanes < count; i += lanes) simd::store(to + i, simd::load(from + i));
  simd::store(to + count - lanes, simd::load(from + count - lanes));
}
template <class T>
RIDGEPOINT_INLINE void clear_run(T* to, index_t count) noexcept {
  for (index_t i = 0; i < count; ++i) to[i] = T(0);
}

/// The taps of one tap row for the results [begin, end) of one row; `source` is that row of the image, null beside it.
template <class T>
void gather_row(const tap_run& columns, index_t channels, const T* source, index_t begin, index_t end, T* to,
                index_t ld) noexcept {
  const bool adjacent = columns.apart == 1;
  const index_t pieces = adjacent ? 1 : columns.count, taps = adjacent ? columns.count : 1;
  for (index_t j = begin; j < end; ++j, to += ld) {
    for (index_t piece = 0; piece < pieces; ++piece) {
      const index_t at = columns.source(j, piece);
      T* const piece_to = to + piece * channels;
      const index_t before = std::clamp<index_t>(-at, 0, taps),
                    inside = source == nullptr
                                 ? 0
                                 : std::max<index_t>(0, std::min(taps, columns.sources - at) - before);
      if (inside == taps) {
        copy_run(source + at * channels, piece_to, taps * channels);
      } else {
        clear_run(piece_to, taps * channels);
        if (inside > 0)
          copy_run(source + (at + before) * channels, piece_to + before * channels, inside * channels);
      }
    }
  }
}

}  // namespace detail

/// Rows [begin, end) of the matrix, ld elements apart.
template <class T>
void gather(const patches<T>& p, index_t begin, index_t end, T* to, index_t ld) noexcept {
  const tap_run &rows = p.rows, &columns = p.columns;
  for (index_t pixel = begin; pixel < end;) {
    const index_t row = pixel / columns.results, j = pixel % columns.results;
    const index_t count = std::min(columns.results - j, end - pixel);
    const index_t n = row / rows.results, i = row % rows.results;
    for (index_t t = 0; t < rows.count; ++t) {
      const index_t source = rows.source(i, t);
      const bool inside = source >= 0 && source < rows.sources;
      const T* const line =
          inside ? p.image + (n * rows.sources + source) * columns.sources * p.channels : nullptr;
      detail::gather_row(columns, p.channels, line, j, j + count, to + t * columns.count * p.channels, ld);
    }
    pixel += count, to += count * ld;
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

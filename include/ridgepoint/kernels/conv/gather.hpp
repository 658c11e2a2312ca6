// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

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

/// Gathers `taps` adjacent taps of one tap row, from tap `first` on, for the results [begin, end) of a row. `source` is
/// that row of the image, null outside it. Requires: dense pixels, or one tap.
template <class T>
void gather_run(const patches<T>& p, index_t first, index_t taps, const T* source, index_t begin, index_t end, T* to,
                index_t ld) noexcept {
  const tap_grid& columns = p.columns;
  const index_t step = columns.step, channels = p.channels, pixel = p.pixel, count = taps * channels;
  const auto one = [&](index_t j) {  // some of its taps are outside the image
    const index_t at = columns.source(j, first), before = std::clamp<index_t>(-at, 0, taps),
                  inside = source == nullptr ? 0 : (std::min)(taps, columns.sources - at) - before;
    T* const row = to + (j - begin) * ld;
    std::fill_n(row, count, T(0));
    if (inside > 0) copy_run(source + (at + before) * pixel, row + before * channels, inside * channels);
  };
  // Results whose taps are all inside the image: at ≥ 0 and at + taps ≤ sources.
  const index_t origin = columns.source(0, first), room = columns.sources - taps - origin;
  const index_t low = source == nullptr ? end : std::clamp(ceil_div(std::max<index_t>(-origin, 0), step), begin, end),
                high = room < 0 ? low : std::clamp(room / step + 1, low, end);
  for (index_t j = begin; j < low; ++j) one(j);
  if (low < high) {
    const T* from = source + columns.source(low, first) * pixel;
    T* row = to + (low - begin) * ld;
    for (index_t j = low; j < high; ++j, from += step * pixel, row += ld) copy_run(from, row, count);
  }
  for (index_t j = high; j < end; ++j) one(j);
}

/// Gathers the taps of one tap row: all at once if they are adjacent.
template <class T>
void gather_row(const patches<T>& p, const T* source, index_t begin, index_t end, T* to, index_t ld) noexcept {
  const tap_run& taps = p.columns.taps;
  if (taps.source_step == 1 && p.is_dense()) return gather_run(p, 0, taps.count, source, begin, end, to, ld);
  for (index_t t = 0; t < taps.count; ++t) gather_run(p, t, 1, source, begin, end, to + t * p.channels, ld);
}

}  // namespace detail

/// Gathers rows [begin, end) of the matrix, with a stride of ld elements.
template <class T>
void gather(const patches<T>& p, index_t begin, index_t end, T* to, index_t ld) noexcept {
  const tap_grid &rows = p.rows, &columns = p.columns;
  for (index_t pixel = begin; pixel < end;) {
    const index_t row = pixel / columns.results, j = pixel % columns.results;
    const index_t count = (std::min)(columns.results - j, end - pixel);
    const index_t n = row / rows.results, i = row % rows.results;
    for (index_t t = 0; t < rows.taps.count; ++t) {
      const index_t source = rows.source(i, t);
      const bool inside = source >= 0 && source < rows.sources;
      const T* const line = inside ? p.image + (n * rows.sources + source) * columns.sources * p.pixel : nullptr;
      detail::gather_row(p, line, j, j + count, to + t * columns.taps.count * p.channels, ld);
    }
    pixel += count, to += count * ld;
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

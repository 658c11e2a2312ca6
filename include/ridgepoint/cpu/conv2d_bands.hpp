// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/gemm_schedule.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/conv/segments.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The work of so many products for each of so many pixels.
[[nodiscard]] inline work products_of(index_t pixels, index_t each) noexcept {
  const std::uint64_t flop = 2 * static_cast<std::uint64_t>(pixels) * static_cast<std::uint64_t>(each);
  return {.flop = flop, .matrix_flop = flop};
}

/// Adjacent result rows that the same rows of taps reach.
struct alike_rows {
  index_t row, count, first_tap, last_tap;  // rows of taps [first_tap, last_tap); all where none reaches them
};
/// The rows from `row` on, before `last`, that are alike.
[[nodiscard]] inline alike_rows rows_alike(const kernels::tap_grid& rows, index_t row, index_t last) noexcept {
  const auto reach = [&](index_t r) {
    const auto inside = [&](index_t t) { return rows.source(r, t) >= 0 && rows.source(r, t) < rows.sources; };
    alike_rows one{r, 1, 0, rows.taps.count};
    while (one.first_tap < one.last_tap && !inside(one.first_tap)) ++one.first_tap;
    while (one.first_tap < one.last_tap && !inside(one.last_tap - 1)) --one.last_tap;
    if (one.first_tap == one.last_tap) one.first_tap = 0, one.last_tap = rows.taps.count;
    return one;
  };
  alike_rows all = reach(row);
  for (index_t r = row + 1; r < last; ++r, ++all.count)
    if (const alike_rows next = reach(r); next.first_tap != all.first_tap || next.last_tap != all.last_tap) break;
  return all;
}

/// Result rows [row, last_row) of images [image, last_image): their windows.
template <class T>
struct band_part {
  index_t image, last_image, row, last_row;
  kernels::segment_rows<T> lines;
  const T* data;  // the first window of the first image
  index_t step;   // elements from one image to the next
  T* spare;       // memory of the worker's own

  /// use(rows) for all its rows, of any image.
  template <class Use>
  void for_alike(const kernels::tap_grid& of, Use&& use) const {
    for (index_t r = row; r < last_row;) {
      const alike_rows rows = rows_alike(of, r, last_row);
      use(rows);
      r += rows.count;
    }
  }
  [[nodiscard]] const T* window(index_t i, index_t r) const noexcept {
    return data + (i - image) * step + (r - row) * lines.result_row;
  }
};

/// The results of images in parts whose windows are read where they lie: some rows of one image, or all of several,
/// whose source rows, copied where windows reach beyond the image, fill a quarter of L2.
template <class T>
struct image_bands {
  kernels::window_segments<T> windows;
  index_t all_images = 0, all_rows = 0, image = 0;  // elements of an image
  index_t images = 0, rows = 0, bands = 0;          // of a part: its images, result rows of each; parts of an image
  index_t band = 0;                                 // elements of a copied image's rows
  std::size_t spare_bytes = 0, worker_bytes = 0;

  image_bands(const native_cpu& on, const kernels::patches<T>& p) noexcept
      : windows(p),
        all_images(p.images),
        all_rows(p.rows.results),
        image(p.rows.sources * p.columns.sources * p.pixel) {
    constexpr index_t size = sizeof(T);
    const index_t l2 = gemm_host_caches().l2, threads = on.thread_count();
    if (p.depth() == 0 || p.pixels() == 0) return;
    const auto fits = [&](index_t count) { return windows.band_elements(count) * size <= l2 / 4; };
    rows = all_rows;
    while (rows > 1 && !fits(rows)) rows = ceil_div(rows, 2);
    if (threads > 1)
      while (rows > 1 && all_images * ceil_div(all_rows, rows) < 4 * threads) rows = ceil_div(rows, 2);
    bands = ceil_div(all_rows, rows);
    images = 1;
    if (bands == 1) {
      const index_t most = std::max<index_t>(1, l2 / 4 / size / std::max<index_t>(1, windows.band_elements(rows)));
      images = std::min(most, ceil_div(all_images, threads == 1 ? 1 : 4 * threads));
    }
    band = windows.copies() ? windows.band_elements(rows) : 0;
    worker_bytes = piece_bytes<T>(images * band) + piece_bytes<index_t>(windows.count());
  }
  /// Gives every worker so many bytes more.
  void keep_spare(std::size_t bytes) noexcept { spare_bytes = bytes, worker_bytes += bytes; }
  [[nodiscard]] index_t parts() const noexcept { return images == 0 ? 0 : ceil_div(all_images, images) * bands; }

  /// run(part) for each. Requires: worker_bytes for every thread at `workers`.
  template <class Run>
  void for_parts(const native_cpu& on, std::byte* workers, Run&& run) const {
    parallel_for(on.thread_count(), parts(), [&](index_t number, index_t worker) {
      std::byte* const memory = workers + static_cast<std::size_t>(worker) * worker_bytes;
      T* const copy = reinterpret_cast<T*>(memory);
      const index_t first = number / bands * images, begin = number % bands * rows;
      band_part<T> part{.image = first,
                        .last_image = std::min(all_images, first + images),
                        .row = begin,
                        .last_row = std::min(all_rows, begin + rows),
                        .lines = windows.rows(reinterpret_cast<index_t*>(memory + piece_bytes<T>(images * band))),
                        .data = copy,
                        .step = band,
                        .spare = reinterpret_cast<T*>(memory + worker_bytes - spare_bytes)};
      if (band == 0) part.data = windows.band_at(first, begin), part.step = image;
      else
        for (index_t i = part.image; i < part.last_image; ++i)
          windows.copy_band(i, part.row, part.last_row, copy + (i - part.image) * band);
      run(part);
    });
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/gemm.hpp>

/// \file
/// Kernels of conv2d() and of its gradient for the image: each computes one part of the results of a product, or packs
/// one panel of its filter.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Convolution as one product: results(pixels × columns) ← f(patches · filter + bias). A forward pass has
/// all pixels of y as results; an image gradient has every stride-th pixel of dx in both directions.
template <class T>
struct conv_product {
  patches<T> source = {};
  matrix_view<const T> tap_filter = {};  // (channels × columns) of tap (0, 0)
  index_t tap_size = 0;                  // elements from one tap's filter to the next
  index_t taps_per_row = 1;              // of the filter
  T* results = nullptr;
  index_t pixel_step = 0, row_step = 0, image_step = 0;  // of the results
  index_t row_elements = 0;                              // of a row of results whose last pixel may be cut; 0: not cut
  gemm_options<T> options = {};

  [[nodiscard]] constexpr index_t columns() const noexcept { return tap_filter.cols; }
  /// Whether the last pixel of a row has columns that are not among its results.
  [[nodiscard]] constexpr bool is_cut() const noexcept {
    return row_elements != 0 && row_elements != source.columns.results * pixel_step;
  }
  /// Whether all result pixels have one constant stride.
  [[nodiscard]] constexpr bool is_flat() const noexcept {
    return row_step == pixel_step * source.columns.results && image_step == row_step * source.rows.results;
  }
  /// Elements between rows of results in spare memory for cut rows: all pixels in full registers.
  [[nodiscard]] constexpr index_t spare_row(index_t lanes) const noexcept {
    return source.columns.results * pixel_step + lanes;
  }
  /// Whether this is a plain product of the image in place.
  [[nodiscard]] constexpr bool is_plain() const noexcept { return source.are_in_place() && is_flat(); }

  /// The filter of tap (i, j), counted among the taps that contribute.
  [[nodiscard]] matrix_view<const T> filter_of(index_t i, index_t j) const noexcept {
    return filter_at(source.rows.tap_of(i), source.columns.tap_of(j));
  }
  /// The filter of tap (row, column), counted among all taps.
  [[nodiscard]] matrix_view<const T> filter_at(index_t row, index_t column) const noexcept {
    matrix_view<const T> filter = tap_filter;
    if (filter.data != nullptr) filter.data += (row * taps_per_row + column) * tap_size;
    return filter;
  }
  /// The address of the first result of a row.
  [[nodiscard]] T* row(index_t image, index_t r) const noexcept { return results + image * image_step + r * row_step; }
  /// All results of a row.
  [[nodiscard]] matrix_view<T> row_results(index_t image, index_t r) const noexcept {
    if (row_elements != 0) return {row(image, r), 1, row_elements, row_elements};
    return {row(image, r), source.columns.results, columns(), pixel_step};
  }
  /// The results of `count` adjacent pixels.
  [[nodiscard]] matrix_view<T> results_of(index_t pixel, index_t count) const noexcept {
    const index_t row = pixel / source.columns.results, j = pixel % source.columns.results;
    const index_t n = row / source.rows.results, i = row % source.rows.results;
    return {this->row(n, i) + j * pixel_step, count, columns(), pixel_step};
  }
  /// The GEMM of an image that is_plain().
  [[nodiscard]] gemm_args<T> plain() const noexcept {
    const index_t pixels = source.pixels();
    return {.a = {source.image, pixels, source.channels, source.pixel},
            .b = filter_of(0, 0),
            .c = results_of(0, pixels),
            .options = options};
  }
};

/// Adjacent result rows that use the same rows of taps.
struct alike_rows {
  index_t row, count, first_tap, last_tap;  // rows of taps [first_tap, last_tap); all if none is inside
};
/// Returns the rows from `row` on, before `last`, with the same rows of taps.
[[nodiscard]] inline alike_rows rows_alike(const tap_grid& rows, index_t row, index_t last) noexcept {
  const auto reach = [&](index_t r) {
    const auto inside = [&](index_t t) { return rows.source(r, t) >= 0 && rows.source(r, t) < rows.sources; };
    alike_rows one{r, 1, 0, rows.taps.count};
    while (one.first_tap < one.last_tap && !inside(one.first_tap)) ++one.first_tap;
    while (one.first_tap < one.last_tap && !inside(one.last_tap - 1)) --one.last_tap;
    if (one.first_tap == one.last_tap) one.first_tap = 0, one.last_tap = rows.taps.count;
    return one;
  };
  alike_rows all = reach(row);
  index_t r = row + 1;
  if (rows.taps.count > 0 && rows.source(row, 0) >= 0) {  // so are all up to the last row whose taps are inside
    const index_t room = rows.sources - 1 - rows.source(row, rows.taps.count - 1);
    if (room >= 0) r = (std::min)(last, row + room / rows.step + 1);
  }
  all.count = r - row;
  for (; r < last; ++r, ++all.count)
    if (const alike_rows next = reach(r); next.first_tap != all.first_tap || next.last_tap != all.last_tap) break;
  return all;
}

/// Packs a panel of the filter in the order of register tiles: panel_width() columns.
template <class T>
struct pack_filter_panel {
  static constexpr auto id = kernel_id<T>("pack_filter_panel");
  static void run(const conv_product<T>& p, index_t panel, T* to) noexcept;
};

/// Packs all panels of the filter for `pixels` adjacent pixels computed as one; `one`: product of pixels like the
/// first.
template <class T>
struct pack_joined_filter {
  static constexpr auto id = kernel_id<T>("pack_joined_filter");
  static void run(const conv_product<T>& one, const result_line& line, index_t joined, T* to) noexcept;
};
/// Copies columns [begin, end) of the filter, contiguous along the depth, for dot products.
template <class T>
struct pack_filter_columns {
  static constexpr auto id = kernel_id<T>("pack_filter_columns");
  static void run(const conv_product<T>& p, index_t begin, index_t end, T* to) noexcept;
};

/// Parts of the results whose windows are read in place: some rows of one image, or all rows of several.
struct image_bands {
  index_t all_images = 0, all_rows = 0;
  index_t images = 0, rows = 0, bands = 0;  // of a part: its images, result rows of each; parts per image
  index_t band = 0;                         // elements of a copied image's rows; 0: windows are in the image

  [[nodiscard]] index_t parts() const noexcept { return images == 0 ? 0 : ceil_div(all_images, images) * bands; }
};
/// Memory of one thread.
template <class T>
struct band_memory {
  T* copy;           // images·band elements
  index_t* offsets;  // of the segments of a window
  T* spare;          // rows of results that are cut
};

/// Blocking of a product whose windows are multiplied in place (implicit GEMM), row of taps by row of taps.
struct segments_cut {
  image_bands bands = {};
  index_t columns = 0, taps = 0;  // at a time: columns; rows of taps
  index_t spare_rows = 0;         // of results, in memory of a thread, if pixels are cut
  index_t l1 = 0;                 // bytes
  stores how = stores::cached;
};
/// filter: packed panels.
template <class T>
struct conv2d_segments {
  static constexpr auto id = kernel_id<T>("conv2d_segments");
  static void run(const conv_product<T>& p, const segments_cut& s, const T* filter, index_t part,
                  const band_memory<T>& memory) noexcept;
};
/// Dot products of windows and columns of the filter, each contiguous along the depth, `taps` rows of taps at a time.
template <class T>
struct conv2d_dots {
  static constexpr auto id = kernel_id<T>("conv2d_dots");
  static void run(const conv_product<T>& p, const segments_cut& s, const T* filter, index_t part,
                  const band_memory<T>& memory) noexcept;
};

/// Blocking of a product of gathered windows (im2col): `pixels` per part, rows with a stride of ld elements.
struct patches_cut {
  gemm_plan plan = {};
  index_t all = 0, pixels = 0, ld = 0;

  [[nodiscard]] index_t parts() const noexcept { return pixels == 0 ? 0 : ceil_div(all, pixels); }
};
/// filter: packed panels. Memory: pixels·ld elements, and packed_a_elements() of the plan.
template <class T>
struct conv2d_patches {
  static constexpr auto id = kernel_id<T>("conv2d_patches");
  static void run(const conv_product<T>& p, const patches_cut& s, const T* filter, index_t part, T* patches,
                  T* packed_a) noexcept;
};

/// Blocking of Winograd's algorithm: parts of `part` tiles, F(results×results, taps×taps), and `group` columns of them
/// at a time. V, M and the transformed filter U have one plane per point.
struct winograd_cut {
  index_t results = 0, taps = 0;
  index_t count = 0, part = 0;  // tiles
  index_t group = 0;            // columns
  index_t v_ld = 0, v_plane = 0, m_plane = 0, u_plane = 0;
  index_t u_panel = 0;  // elements from one panel of the filter to the next
  index_t fetched = 0;  // prefetch distance in elements of the filter

  [[nodiscard]] index_t parts() const noexcept { return count == 0 ? 0 : ceil_div(count, part); }
};
/// Memory of one thread: V, M (for filter gradients D and M), a tile's pixels, and packed A or null.
template <class T>
struct winograd_memory {
  T *v, *d, *m, *copy, *packed_a;
};
/// Transforms a panel of the filter, in double if sums are short.
template <class T>
struct winograd_filter_panel {
  static constexpr auto id = kernel_id<T>("winograd_filter_panel");
  static void run(const conv_product<T>& p, const winograd_cut& s, index_t panel, T* to) noexcept;
};
template <class T>
struct conv2d_winograd {
  static constexpr auto id = kernel_id<T>("conv2d_winograd");
  static void run(const conv_product<T>& p, const winograd_cut& s, const T* filter, index_t part,
                  const winograd_memory<T>& memory) noexcept;
};

/// y ← f(y + residual) on elements [begin, end); residual may be null.
template <class T>
struct conv2d_finish {
  static constexpr auto id = kernel_id<T>("conv2d_finish");
  static void run(T* y, const T* residual, activation f, T slope, index_t begin, index_t end) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/conv/conv2d.hpp>
#endif

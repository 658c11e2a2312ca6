// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/conv/conv2d.hpp>
#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/kernels/stores.hpp>

/// \file
/// Kernels of conv2d() and of its gradient for the image: each computes one part of the results of a product, or packs
/// one panel of its filter.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

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

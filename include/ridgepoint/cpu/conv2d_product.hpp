// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <type_traits>

#include <ridgepoint/cpu/conv2d_bands.hpp>
#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/ops/conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <class Args>
using element_of = std::remove_const_t<std::remove_pointer_t<decltype(Args::w)>>;

/// A convolution as one product: results(pixels × columns) ← f(patches · filter + bias). The results of a forward pass
/// are all pixels of y; those of a gradient for the image are every stride-th pixel of dx in both directions.
template <class T>
struct conv_product {
  kernels::patches<T> source;
  matrix_view<const T> tap_filter;  // (channels × columns) of tap (0, 0)
  index_t tap_size = 0;             // elements from one tap's filter to the next
  index_t taps_per_row = 1;         // of the filter
  T* results = nullptr;
  index_t pixel_step = 0, row_step = 0, image_step = 0;  // of the results
  index_t row_elements = 0;                              // of a row of results whose last pixel may be cut; 0: whole
  gemm_options<T> options = {};

  [[nodiscard]] constexpr index_t columns() const noexcept { return tap_filter.cols; }
  /// Whether the last pixel of a row has columns that are none of its results.
  [[nodiscard]] constexpr bool is_cut() const noexcept {
    return row_elements != 0 && row_elements != source.columns.results * pixel_step;
  }
  /// Whether the results of all pixels lie at one step.
  [[nodiscard]] constexpr bool is_flat() const noexcept {
    return row_step == pixel_step * source.columns.results && image_step == row_step * source.rows.results;
  }
  /// Whether it is a product of the image as it lies.
  [[nodiscard]] constexpr bool is_plain() const noexcept { return source.are_in_place() && is_flat(); }

  /// The filter of tap (i, j) of those that take part.
  [[nodiscard]] matrix_view<const T> filter_of(index_t i, index_t j) const noexcept {
    return filter_at(source.rows.tap_of(i), source.columns.tap_of(j));
  }
  /// That of tap (row, column) of all.
  [[nodiscard]] matrix_view<const T> filter_at(index_t row, index_t column) const noexcept {
    matrix_view<const T> filter = tap_filter;
    if (filter.data != nullptr) filter.data += (row * taps_per_row + column) * tap_size;
    return filter;
  }
  /// The first result of a row.
  [[nodiscard]] T* row(index_t image, index_t r) const noexcept { return results + image * image_step + r * row_step; }
  /// All results of a row.
  [[nodiscard]] matrix_view<T> row_results(index_t image, index_t r) const noexcept {
    if (row_elements != 0) return {row(image, r), 1, row_elements, row_elements};
    return {row(image, r), source.columns.results, columns(), pixel_step};
  }
  /// Results of a number of adjacent pixels.
  [[nodiscard]] matrix_view<T> results_of(index_t pixel, index_t count) const noexcept {
    const index_t row = pixel / source.columns.results, j = pixel % source.columns.results;
    const index_t n = row / source.rows.results, i = row % source.rows.results;
    return {this->row(n, i) + j * pixel_step, count, columns(), pixel_step};
  }
  /// The product of an image that is_plain().
  [[nodiscard]] gemm_args<T> plain() const noexcept {
    const index_t pixels = source.pixels();
    return {.a = {source.image, pixels, source.channels, source.pixel},
            .b = filter_of(0, 0),
            .c = results_of(0, pixels),
            .options = options};
  }
};

/// `first` elements on; null where there is nothing.
template <class T>
[[nodiscard]] T* part_of(T* all, index_t first) noexcept {
  return all == nullptr ? nullptr : all + first;
}

/// What the windows of a forward pass read for a group.
template <class T>
[[nodiscard]] kernels::patches<T> patches_of(const conv2d_geometry& g, const T* x, index_t group) noexcept {
  const index_t c = g.group_c();
  return {part_of(x, group * c), g.n, c, kernels::taps_forward(g.rows()), kernels::taps_forward(g.columns()), g.c};
}
/// The filter of a group's first tap, as many lines as it has channels.
template <class T>
[[nodiscard]] matrix_view<const T> tap_filter_of(const conv2d_geometry& g, const T* w, index_t group) noexcept {
  return {part_of(w, group * g.group_f()), g.group_c(), g.group_f(), g.f};
}

template <class T>
[[nodiscard]] bool finishes_apart(const conv2d_backward_data_args<T>&) noexcept {
  return false;
}

template <class T>
[[nodiscard]] conv_product<T> convolution_of(const conv2d_args<T>& a, index_t group) noexcept {
  const conv2d_geometry& g = a.geometry;
  const index_t first = group * g.group_f();
  return {.source = patches_of(g, a.x, group),
          .tap_filter = tap_filter_of(g, a.w, group),
          .tap_size = g.group_c() * g.f,
          .taps_per_row = g.kw,
          .results = part_of(a.y, first),
          .pixel_step = g.f,
          .row_step = g.ow() * g.f,
          .image_step = g.oh() * g.ow() * g.f,
          .options = {.bias = part_of(a.bias, first), .act = finishes_apart(a) ? activation::none : a.act}};
}
template <class T>
[[nodiscard]] conv_product<T> convolution_of(const conv2d_args<T>& a, index_t group, spatial) noexcept {
  return convolution_of(a, group);
}
/// The gradient for the pixels of the image whose row is `phase.h` past a multiple of the stride, and column `phase.w`.
template <class T>
[[nodiscard]] conv_product<T> convolution_of(const conv2d_backward_data_args<T>& a, index_t group,
                                             spatial phase) noexcept {
  const conv2d_geometry& g = a.geometry;
  return {.source = {part_of(a.dy, group * g.group_f()), g.n, g.group_f(), kernels::taps_backward(g.rows(), phase.h),
                     kernels::taps_backward(g.columns(), phase.w), g.f},
          .tap_filter = tap_filter_of(g, a.w, group).transposed(),
          .tap_size = g.group_c() * g.f,
          .taps_per_row = g.kw,
          .results = part_of(a.dx, (phase.h * g.w + phase.w) * g.c + group * g.group_c()),
          .pixel_step = g.stride.w * g.c,
          .row_step = g.stride.h * g.w * g.c,
          .image_step = g.h * g.w * g.c};
}

/// Whether a filter is the same in every run, so that it is packed or transformed but once.
enum class filter_is { given, constant };

/// What a product executes: whole vectors of columns, and taps beside the image.
template <class T>
[[nodiscard]] work executed_as_product(const conv_product<T>& p) noexcept {
  return products_of(p.source.pixels(), p.source.depth() * round_up(p.columns(), simd::lanes<T>));
}

/// The same without rows of taps that lie beside the image; a row of taps has so many elements, its padding included.
template <class T>
[[nodiscard]] work executed_in_rows(const conv_product<T>& p, index_t tap_row, index_t columns) noexcept {
  const kernels::tap_grid& rows = p.source.rows;
  index_t taps = 0;
  for (index_t r = 0; r < rows.results;) {
    const alike_rows some = rows_alike(rows, r, rows.results);
    taps += some.count * (some.last_tap - some.first_tap), r += some.count;
  }
  return products_of(p.source.images * p.source.columns.results * taps, tap_row * columns);
}

/// How a product of the image as it lies is cut.
template <class T>
struct plain_schedule {
  static constexpr const char* algorithm = "product";
  static constexpr index_t packed = 0;
  gemm_schedule gemm;
  std::size_t worker_bytes = 0;  // of all threads

  explicit plain_schedule(const gemm_schedule& planned) noexcept
      : gemm(planned), worker_bytes(gemm.workspace_bytes()) {}
  [[nodiscard]] index_t parts() const noexcept { return 1; }
  [[nodiscard]] work executed(const conv_product<T>& p, filter_is) const noexcept { return executed_as_product(p); }
  void pack(const native_cpu&, const conv_product<T>&, T*) const noexcept {}
  void run(const native_cpu& on, const conv_product<T>& p, const T*, std::byte* memory) const {
    detail::run(on, gemm, p.plain(), memory);
  }
};

/// The filter of a product in the panels that the tiles read.
template <class T>
void pack_filter(const native_cpu& on, const conv_product<T>& p, T* to) {
  constexpr index_t nr = kernels::panel_width<T>(kernels::native_unit);
  const index_t k = p.source.depth(), n = p.columns(), channels = p.source.channels;
  parallel_for(on.thread_count(), ceil_div(n, nr), [&](index_t panel) {
    const index_t j = panel * nr, width = std::min(nr, n - j);
    T* at = to + j * k;
    for (index_t r = 0; r < p.source.rows.taps.count; ++r)
      for (index_t c = 0; c < p.source.columns.taps.count; ++c, at += channels * nr)
        kernels::pack_b_panel(p.filter_of(r, c).block(0, j, channels, width), at);
  });
}

/// Activations that tiles do not apply, on the results of a part.
template <class T>
void finish_rows(const conv_product<T>& p, const band_part<T>& part) noexcept {
  if (p.options.act == activation::none || p.options.act == activation::relu) return;
  for (index_t i = part.image; i < part.last_image; ++i)
    for (index_t r = part.row; r < part.last_row; ++r) kernels::finish_activation(p.options.act, p.row_results(i, r));
}

/// The results of pixels that no tap reaches.
template <class T>
void clear_results(const conv_product<T>& p) noexcept {
  for (index_t n = 0; n < p.source.images; ++n)
    for (index_t r = 0; r < p.source.rows.results; ++r) {
      const matrix_view<T> row = p.row_results(n, r);
      for (index_t i = 0; i < row.rows; ++i) std::fill_n(&row(i, 0), row.cols, T(0));
    }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

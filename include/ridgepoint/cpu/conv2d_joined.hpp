// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include <ridgepoint/cpu/conv2d_segments.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// What the pixels of a row of results read: all alike in a forward pass, every stride-th in a gradient for the image.
template <class T>
[[nodiscard]] constexpr kernels::tap_grid columns_of(const conv2d_args<T>& a, index_t) noexcept {
  return kernels::taps_forward(a.geometry.columns());
}
template <class T>
[[nodiscard]] constexpr kernels::tap_grid columns_of(const conv2d_backward_data_args<T>& a, index_t phase) noexcept {
  return kernels::taps_backward(a.geometry.columns(), phase);
}
template <class T>
[[nodiscard]] constexpr index_t phases_of(const conv2d_args<T>&) noexcept {
  return 1;
}
template <class T>
[[nodiscard]] constexpr index_t phases_of(const conv2d_backward_data_args<T>& a) noexcept {
  return a.geometry.stride.w;
}
/// Pixels in a row of results.
template <class T>
[[nodiscard]] constexpr index_t row_pixels(const conv2d_args<T>& a) noexcept {
  return a.geometry.ow();
}
template <class T>
[[nodiscard]] constexpr index_t row_pixels(const conv2d_backward_data_args<T>& a) noexcept {
  return a.geometry.w;
}

/// What some adjacent pixels of a row read: sources [first, last), of which pixel i meets some, each through one tap.
struct joined_window {
  index_t first = 0, last = 0;

  template <class Args>
  joined_window(const Args& a, index_t pixels) noexcept {
    add(a, 0, pixels);
  }
  /// Lets pixels [begin, end) join those before. Requires: both at the beginning of all phases, or at the row's end.
  template <class Args>
  void add(const Args& a, index_t begin, index_t end) noexcept {
    const index_t phases = phases_of(a);
    for (index_t phase = 0; phase < phases; ++phase) {
      const kernels::tap_grid grid = columns_of(a, phase);
      if (grid.taps.count == 0 || begin + phase >= end) continue;
      const index_t low = grid.source(begin / phases, 0),
                    high = grid.source((end - 1 - phase) / phases, grid.taps.count - 1) + 1;
      const bool any = first < last;
      first = any ? std::min(first, low) : low, last = any ? std::max(last, high) : high;
    }
  }
  /// use(pixel, source, tap) for each.
  template <class Args, class Use>
  static void for_taps(const Args& a, index_t pixels, Use&& use) noexcept {
    const index_t phases = phases_of(a);
    for (index_t phase = 0; phase < phases; ++phase) {
      const kernels::tap_grid grid = columns_of(a, phase);
      for (index_t pixel = phase; pixel < pixels; pixel += phases)
        for (index_t t = 0; t < grid.taps.count; ++t) use(pixel, grid.source(pixel / phases, t), grid.tap_of(t));
    }
  }
};

/// A product of rows of results some adjacent pixels of which are computed as one, of more columns:
///   (y(j), …, y(j + joined − 1)) ← (what these pixels read) · filter', where column block i of filter' is the filter,
/// shifted by i pixels, and zero elsewhere. Vectors of columns are filled that one pixel leaves empty, and tiles of a
/// gradient for the image need not be cut into phases.
template <class Args>
struct joined_product {
  using T = element_of<Args>;
  Args args;
  conv_product<T> one;  // of pixels like the first
  index_t joined = 1;
  joined_window window;
  conv_product<T> product;  // its filter is made by pack()

  joined_product(const Args& a, const conv_product<T>& one_, index_t joined_) noexcept
      : args(a), one(one_), joined(joined_), window(a, joined_), product(one_) {
    const index_t pixels = row_pixels(a), columns = one.columns();
    kernels::tap_grid& grid = product.source.columns;
    grid.results = ceil_div(pixels, joined);
    grid.step *= joined / phases_of(a);
    grid.taps = {.count = window.last - window.first, .source = window.first};
    product.tap_filter = {nullptr, one.source.channels, joined * columns};
    product.pixel_step = joined * columns;
    product.row_elements = pixels * columns;
  }
  /// The filter in panels.
  void pack(T* to) const noexcept {
    constexpr index_t nr = kernels::panel_width<T>(kernels::native_unit);
    const index_t taps = window.last - window.first, channels = one.source.channels, columns = one.columns(),
                  depth = product.source.depth();
    std::fill_n(to, packed_elements<T>(kernels::native_unit, depth, product.columns()), T(0));
    for (index_t r = 0; r < one.source.rows.taps.count; ++r)
      joined_window::for_taps(args, joined, [&](index_t pixel, index_t source, index_t tap) {
        const matrix_view<const T> filter = one.filter_at(one.source.rows.tap_of(r), tap);
        const index_t line = (r * taps + source - window.first) * channels;
        for (index_t j = 0; j < columns; ++j) {
          const index_t column = pixel * columns + j;
          T* at = to + (column / nr * depth + line) * nr + column % nr;
          for (index_t i = 0; i < channels; ++i, at += nr) *at = filter(i, j);
        }
      });
  }
};

/// Most columns of pixels that are computed as one.
template <class T>
inline constexpr index_t joined_columns = 4 * kernels::panel_width<T>(kernels::native_unit);

/// How rows of joined pixels are cut: as segments are.
template <class T>
struct joined_schedule : segment_schedule<T> {
  static constexpr const char* algorithm = "joined";

  template <class Args>
  joined_schedule(const native_cpu& on, const joined_product<Args>& p) noexcept : segment_schedule<T>(on, p.product) {}
  template <class Args>
  [[nodiscard]] work executed(const joined_product<Args>& p, filter_is filter) const noexcept {
    return segment_schedule<T>::executed(p.product, filter);
  }
  template <class Args>
  void pack(const native_cpu&, const joined_product<Args>& p, T* to) const noexcept {
    if (this->packed > 0) p.pack(to);
  }
  template <class Args>
  void run(const native_cpu& on, const joined_product<Args>& p, const T* filter, std::byte* workers) const {
    conv_product<T> product = p.product;
    std::array<T, static_cast<std::size_t>(joined_columns<T>)> bias{};
    if (const T* const given = p.product.options.bias; given != nullptr) {
      for (index_t i = 0; i < p.joined; ++i) std::copy_n(given, p.one.columns(), bias.data() + i * p.one.columns());
      product.options.bias = bias.data();
    }
    segment_schedule<T>::run(on, product, filter, workers);
  }
};

/// How many adjacent pixels of a pass are best computed as one: more than one, in whole phases, of joined_columns at
/// most, in the fewest steps of tiles; 0: there is nothing to join.
template <class Args>
[[nodiscard]] index_t likely_joined(const Args& a) noexcept {
  using T = element_of<Args>;
  constexpr index_t lanes = simd::lanes<T>, nr = kernels::panel_width<T>(kernels::native_unit);
  const conv_product<T> one = convolution_of(a, 0, spatial(0));
  const index_t pixels = row_pixels(a), phases = phases_of(a), columns = one.columns(),
                deep = one.source.rows.taps.count * one.source.channels;
  if (a.geometry.groups > 1 || one.is_plain() || one.source.depth() == 0) return 0;
  double best = std::numeric_limits<double>::infinity();
  index_t chosen = 0;
  joined_window window(a, 0);
  for (index_t joined = phases; joined * columns <= joined_columns<T>; joined += phases) {
    window.add(a, joined - phases, joined);
    if (joined == 1) continue;
    const index_t depth = deep * (window.last - window.first), all = joined * columns;
    if (joined >= pixels + phases ||
        packed_elements<T>(kernels::native_unit, depth, all) * index_t{sizeof(T)} > gemm_host_caches().l2 / 4)
      break;
    // A panel takes a call, which multiplies one step after the other; storing part of a vector takes longer.
    const auto panels = static_cast<double>(ceil_div(all, nr)), deep_steps = static_cast<double>(depth),
               steps = static_cast<double>(ceil_div(all, lanes)) * deep_steps;
    const double stores = all % lanes == 0 || all < nr ? 3 : 8;
    const double cycles =
        (pixels % joined == 0 ? 0 : 20 + static_cast<double>(pixels * columns) / lanes) + 40 * panels +
        std::max(4 * deep_steps * panels, static_cast<double>(ceil_div(pixels, joined)) * (stores + 0.55 * steps));
    if (cycles < best) best = cycles, chosen = joined;
  }
  return chosen;
}

/// use(product) for each product that a pass consists of with so many pixels joined.
template <class T, class Use>
void for_joined(const conv2d_args<T>& a, index_t joined, Use&& use) {
  use(joined_product(a, convolution_of(a, 0), joined));
}
template <class T, class Use>
void for_joined(const conv2d_backward_data_args<T>& a, index_t joined, Use&& use) {
  for (index_t h = 0; h < std::min(a.geometry.stride.h, a.geometry.h); ++h)
    use(joined_product(a, convolution_of(a, 0, spatial(h, 0)), joined));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

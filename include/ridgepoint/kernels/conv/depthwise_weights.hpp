// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/core/with_constant.hpp>
#include <ridgepoint/kernels/conv/depthwise_kernels.hpp>
#include <ridgepoint/kernels/map/add_columns.hpp>
#include <ridgepoint/kernels/window/some_lanes.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// dw(tap, c) ← dw(tap, c) + Σ_o x(input of the tap, c)·dy(o, c) for some adjacent outputs and a line of channels.
///
/// The inputs are a copy with zeros outside the image, and with adjacent pixels: in place, pixels of 512 channels would
/// all map to a few sets of L1, and every line would be reloaded for each tap. Three by three adjacent taps share each
/// loaded dy; three adjacent outputs share each x if their windows overlap. The nine sums stay in registers.
template <class T>
struct depthwise_weights_tile {
  static constexpr index_t width = line_elements<T>;  // channels of a copied pixel

  spatial taps, outputs;
  spatial tap_step, step;     // elements of the copy between taps, and between outputs
  index_t dy_row = 0, f = 0;  // elements from one row of outputs to the next; of a pixel

  /// Adds the first `channels` of the copied ones to dw(0, c), with a tap stride of f elements, from dy(0, c).
  void add_to(T* dw, const T* x, const T* dy, index_t channels) const noexcept {
    for (index_t row = 0; row < taps.h; row += group(taps.h - row))
      for (index_t column = 0; column < taps.w; column += group(taps.w - column))
        with_constant<1, 3>(group(taps.h - row), [&](auto rows) {
          with_constant<1, 3>(group(taps.w - column), [&](auto columns) {
            const T* const from = x + row * tap_step.h + column * tap_step.w;
            T* const to = dw + (row * taps.w + column) * f;
            index_t c = 0;
            for (; c + lanes <= channels; c += lanes) add_group<rows, columns>(to + c, from + c, dy + c, all_lanes{});
            if (c < channels) add_group<rows, columns>(to + c, from + c, dy + c, first_lanes{channels - c});
          });
        });
  }

 private:
  using batch = simd::batch<T>;
  static constexpr index_t lanes = simd::lanes<T>;

  /// Number of taps of a line processed together, of `left` remaining: avoids a single tap at the end.
  [[nodiscard]] static constexpr int group(index_t left) noexcept {
    return left == 4 ? 2 : static_cast<int>(std::min<index_t>(left, 3));
  }

  template <int Rows, int Columns, class Lanes>
  RIDGEPOINT_NOINLINE void add_group(T* dw, const T* x, const T* dy, Lanes some) const noexcept {
    batch sum[Rows][Columns];
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Rows; ++i) RIDGEPOINT_UNROLL
    for (int j = 0; j < Columns; ++j) sum[i][j] = some.load(dw + (i * taps.w + j) * f);
    const index_t count = outputs.w, tap = tap_step.w, next = step.w, channels = f;
    for (index_t row = 0; row < outputs.h; ++row, x += step.h, dy += dy_row) {
      const T* from[Rows];
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Rows; ++i) from[i] = x + i * tap_step.h;
      const T* gradient = dy;
      index_t o = 0;
      if (tap == next) {  // the next output reads the inputs of the next taps
        constexpr int run = 3;
        for (; o + run <= count; o += run) {
          batch g[run];
          RIDGEPOINT_UNROLL
          for (int k = 0; k < run; ++k, gradient += channels) g[k] = some.load(gradient);
          RIDGEPOINT_UNROLL
          for (int i = 0; i < Rows; ++i) {
            RIDGEPOINT_UNROLL
            for (int at = 0; at < run + Columns - 1; ++at) {
              const batch value = simd::load(from[i] + at * tap);
              RIDGEPOINT_UNROLL
              for (int j = 0; j < Columns; ++j)
                if (at >= j && at - j < run) sum[i][j] = simd::fma(value, g[at - j], sum[i][j]);
            }
            from[i] += run * next;
          }
        }
      }
      for (; o < count; ++o, gradient += channels) {
        const batch g = some.load(gradient);
        RIDGEPOINT_UNROLL
        for (int i = 0; i < Rows; ++i) {
          RIDGEPOINT_UNROLL
          for (int j = 0; j < Columns; ++j) sum[i][j] = simd::fma(simd::load(from[i] + j * tap), g, sum[i][j]);
          from[i] += next;
        }
      }
    }
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Rows; ++i) RIDGEPOINT_UNROLL
    for (int j = 0; j < Columns; ++j) some.store(dw + (i * taps.w + j) * f, sum[i][j]);
  }
};

/// Prefetches the cache line of each pixel of an area, the first at `from`, for the next reads: the pixels' stride is
/// too large for the hardware prefetcher.
template <class T>
void fetch_pixels(const T* from, spatial area, index_t row, index_t pixel) noexcept {
  for (index_t i = 0; i < area.h; ++i)
    for (index_t j = 0; j < area.w; ++j) __builtin_prefetch(from + i * row + j * pixel, 0, 2);
}

/// Copies the inputs of windows, adjacent, for `channels` ≤ depthwise_weights_tile::width filters from number `first`
/// on: zeros for the remaining channels and outside the image. Prefetches the inputs of the next filters.
/// x: (rows.extent, columns.extent, c); every channel has `multiplier` filters.
template <class T>
void copy_windows(const T* x, const window_axis& rows, const window_axis& columns, index_t row, index_t column,
                  spatial copied, index_t c, index_t multiplier, index_t first, index_t channels, T* to) noexcept {
  constexpr index_t width = depthwise_weights_tile<T>::width, lanes = simd::lanes<T>;
  const bool another = multiplier == 1 && first + width < c;
  const index_t before = std::clamp<index_t>(-column, 0, copied.w),
                end = std::clamp<index_t>(columns.extent - column, before, copied.w);
  for (index_t i = row; i < row + copied.h; ++i, to += copied.w * width) {
    if (!rows.inside(i)) {
      std::fill_n(to, copied.w * width, T(0));
      continue;
    }
    std::fill_n(to, before * width, T(0));
    const T* from = x + (i * columns.extent + column + before) * c + first / multiplier;
    for (index_t j = before; j < end; ++j, from += c) {
      T* const pixel = to + j * width;
      if (another) __builtin_prefetch(from + width, 0, 2);
      if (multiplier > 1)
        for (index_t k = 0; k < width; ++k)
          pixel[k] = k < channels ? from[(first % multiplier + k) / multiplier] : T(0);
      else if (channels == width)
        for (index_t k = 0; k < width; k += lanes) simd::store(pixel + k, simd::load(from + k));
      else
        for (index_t k = 0; k < width; k += lanes)
          simd::store(pixel + k, simd::load_partial(from + k, std::clamp<index_t>(channels - k, 0, lanes)));
    }
    std::fill_n(to + end * width, (copied.w - end) * width, T(0));
  }
}

/// dw ← dw + the gradient of `count` rows of outputs of an image from `row` on.
template <class T>
void add_depthwise_weights(const depthwise_conv2d_backward_weights_args<T>& a, const depthwise_tiles& t, index_t image,
                           index_t row, index_t count, T* copy, T* dw) noexcept {
  using tile = depthwise_weights_tile<T>;
  const depthwise_geometry& g = a.geometry;
  const window_axis &down = t.down, &across = t.across;
  const index_t f = g.f(), ow = across.outputs();
  const bool on_image = !t.copies && row >= t.inside_h.begin && row < t.inside_h.end;
  const T* const x = a.x + image * g.h * g.w * g.c;
  for (index_t column = 0; column < ow;) {
    const index_t end = on_image ? depthwise_tiles::end_of(column, t.inside_w, ow) : ow;
    const spatial outputs{count, (std::min)(end - column, depthwise_tiles::most_columns)};
    const spatial read{depthwise_tiles::extent(down, outputs.h), depthwise_tiles::extent(across, outputs.w)};
    const bool in_place = on_image && column >= t.inside_w.begin && column < t.inside_w.end;
    const T* const dy = a.dy + ((image * down.outputs() + row) * ow + column) * f;
    const index_t top = down.input(row, 0), left = across.input(column, 0);
    for (index_t c = 0; c < f; c += tile::width) {
      const index_t channels = (std::min)(tile::width, f - c), next = c + tile::width;
      const bool here = in_place && channels == tile::width;
      const index_t pixel = here ? f : tile::width, line = here ? g.w * f : read.w * tile::width;
      const T* const from = here ? x + (top * g.w + left) * f + c : copy;
      if (!here) copy_windows(x, down, across, top, left, read, g.c, g.multiplier, c, channels, copy);
      if (next < f) fetch_pixels(dy + next, outputs, ow * f, f);
      if (next < f && here) fetch_pixels(from + tile::width, read, line, pixel);
      const tile some{.taps = {g.kh, g.kw},
                      .outputs = outputs,
                      .tap_step = {down.dilation * line, across.dilation * pixel},
                      .step = {down.stride * line, across.stride * pixel},
                      .dy_row = ow * f,
                      .f = f};
      some.add_to(dw + c, from, dy + c, channels);
    }
    column += outputs.w;
  }
}

template <class T>
void depthwise_backward_weights_rows<T>::run(const depthwise_conv2d_backward_weights_args<T>& a,
                                             const depthwise_tiles& t, T* memory, index_t begin, index_t end,
                                             T* sums) noexcept {
  const depthwise_geometry& g = a.geometry;
  const index_t oh = g.oh(), ow = g.ow(), f = g.f();
  std::fill_n(sums, g.filter_size() + f, T(0));
  for (index_t i = begin; i < end;) {
    const index_t row = i % oh, count = t.rows_at(row, end - i);
    add_depthwise_weights(a, t, i / oh, row, count, memory, sums);
    i += count;
  }
  const matrix_view<const T> dy(a.dy + begin * ow * f, (end - begin) * ow, f);
  if (a.db != nullptr) add_columns(dy, T(0), sums + g.filter_size());
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <concepts>

#include <ridgepoint/core/with_constant.hpp>
#include <ridgepoint/kernels/conv/depthwise_kernels.hpp>
#include <ridgepoint/kernels/map/column_sum.hpp>
#include <ridgepoint/kernels/window/some_lanes.hpp>
#include <ridgepoint/kernels/window/taps.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// to(pixel, c) ← bias(c) + Σ_taps from(source of the tap, c)·w(tap, c), per channel: the forward pass for its outputs,
/// or the gradient for its inputs.
template <class T>
struct depthwise_pass {
  const T* from;
  const T* w;
  const T* bias;  // may be null
  T* to;
  index_t channels;
  index_t window_taps_all;  // of the full window
  padding outside;
  stores writes = stores::cached;  // streaming: channels are whole lines

  /// Computes a row of pixels from number `first` on. Where three taps slide along it, its ends, which lack a source,
  /// are computed with their neighbours: 7×7 pixels of 512 channels take 7.0 µs so, 10.5 µs without (AVX-512).
  void row(const window_taps& taps, const window_walk& columns, index_t first) const noexcept {
    tap_line all = columns.padded_line();
    all.first = first;
    if (all.count >= together && outside == padding::adds_nothing) return line(taps, all, ends::both);
    columns.for_each_line([&](tap_line some) {
      some.first += first;
      line(taps, some, ends::none);
    });
  }

 private:
  /// Ends of a line, or of a tile of it, that lack their first or last source.
  enum class ends { none, first, last, both };

  /// Computes a line of pixels, four at a time: each loaded weight serves four pixels, and 4·2 sums hide the latency of
  /// their additions. The last four may overlap the previous ones and rewrite the same values. Eight at a time, if
  /// there are enough registers, loads two lines fewer per eight pixels.
  void line(window_taps taps, const tap_line& line, ends padded) const noexcept {
    taps.columns = line.taps;
    const bool sliding = line.count >= together && line.taps.count == 3 && line.taps.source_step == line.pace;
    const index_t source = taps.columns.source + (sliding ? taps.columns.source_step : 0);
    addresses at{.x = from + (taps.image + taps.rows.source * taps.width + source) * channels,
                 .w = w + (taps.rows.tap * taps.taps_across + taps.columns.tap) * channels,
                 .y = to + line.first * channels,
                 .rows = taps.rows.count,
                 .columns = taps.columns.count,
                 .x_row = taps.rows.source_step * taps.width * channels,
                 .x_column = taps.columns.source_step * channels,
                 .x_pixel = line.pace * channels,
                 .w_row = taps.rows.tap_step * taps.taps_across * channels,
                 .w_column = taps.columns.tap_step * channels,
                 .y_pixel = line.step * channels};
    if (line.count < together) pixels<1>(taps, at, line.count, ends::none);
    else if (sliding) slide<together>(taps, at, line.count, padded);
    else pixels<together>(taps, at, line.count, ends::none);
    if (writes == stores::streaming) simd::end_stream();
  }

  static constexpr index_t together = depthwise_pixels;
  using batch = simd::batch<T>;
  static constexpr index_t lanes = simd::lanes<T>;
  static constexpr bool many_registers = simd::native::registers >= 32;
  /// Whether each pixel's sources are the previous pixel's, shifted by one: then three taps of a row, with weights in
  /// registers, load each source once for all pixels.
  enum class neighbours { differ, share_sources };
  /// Address of a pixel's first tap, or of its second where sources are shared, and strides to the others. Passed by
  /// value, so that the compiler need not assume that stores change it.
  struct addresses {
    const T *x, *w;
    T* y;
    index_t rows, columns, x_row, x_column, x_pixel, w_row, w_column, y_pixel;
    void advance(index_t pixels) noexcept {
      x += pixels * x_pixel;
      y += pixels * y_pixel;
    }
  };

  template <int Together>
  RIDGEPOINT_INLINE void slide(const window_taps& taps, addresses at, index_t count, ends padded) const noexcept {
    if constexpr (many_registers) {
      const index_t rest = count % (2 * Together), most = rest > Together && count > rest ? count : count - rest;
      const bool is_padded = padded == ends::both;
      pixels<2 * Together, neighbours::share_sources>(taps, at, most, is_padded && most < count ? ends::first : padded);
      at.advance(most), count -= most;
      if (is_padded && most > 0) padded = ends::last;
    }
    pixels<Together, neighbours::share_sources>(taps, at, count, padded);
  }

  template <int Pixels, neighbours They = neighbours::differ>
  RIDGEPOINT_NOINLINE void pixels(const window_taps& taps, addresses at, index_t count, ends padded) const noexcept {
    for (index_t left = count; left > 0; left -= Pixels) {
      at.advance(std::min<index_t>(0, left - Pixels));
      const bool first = left == count && (padded == ends::first || padded == ends::both),
                 last = left <= Pixels && (padded == ends::last || padded == ends::both);
      if constexpr (They == neighbours::share_sources) {
        if (first && last) tiles<Pixels, They, ends::both>(taps, at);
        else if (first) tiles<Pixels, They, ends::first>(taps, at);
        else if (last) tiles<Pixels, They, ends::last>(taps, at);
        else tiles<Pixels, They, ends::none>(taps, at);
      } else {
        tiles<Pixels, They, ends::none>(taps, at);
      }
      at.advance(Pixels);
    }
  }

  /// Computes all channels of some pixels.
  template <int Pixels, neighbours They, ends Padded>
  RIDGEPOINT_NOINLINE void tiles(const window_taps& taps, addresses at) const noexcept {
    constexpr int most =
        many_registers && They == neighbours::differ ? 4 : 2;  // (4 sums + 3 weights + a source)·2 ≤ 16
    const index_t all = channels;
    index_t c = 0;
    for (; c + most * lanes <= all; c += most * lanes) tile<Pixels, most, They, Padded>(taps, at, c, all_lanes{});
    if (most > 2 && c + 2 * lanes <= all) {
      tile<Pixels, 2, They, Padded>(taps, at, c, all_lanes{});
      c += 2 * lanes;
    }
    for (; c < all; c += lanes) tile<Pixels, 1, They, Padded>(taps, at, c, first_lanes{(std::min)(lanes, all - c)});
  }

  template <int Pixels, int Registers, neighbours They, ends Padded, class Lanes>
  RIDGEPOINT_INLINE void tile(const window_taps& taps, addresses at, index_t c, Lanes some) const noexcept {
    batch last[Registers], sum[Pixels][Registers];
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) {
      last[r] = outside == padding::is_multiplied ? times_zero(taps, c + r * lanes, some) : batch(T(0));
      RIDGEPOINT_UNROLL
      for (int p = 0; p < Pixels; ++p) sum[p][r] = last[r];
    }
    const T *x_row = at.x + c, *w_row = at.w + c;
    for (index_t i = 0; i < at.rows; ++i, x_row += at.x_row, w_row += at.w_row) {
      if constexpr (They == neighbours::share_sources) {
        batch weight[3][Registers];
        RIDGEPOINT_UNROLL
        for (int t = 0; t < 3; ++t) RIDGEPOINT_UNROLL
        for (int r = 0; r < Registers; ++r) weight[t][r] = some.load(w_row + t * at.w_column + r * lanes);
        constexpr int begin = Padded == ends::first || Padded == ends::both ? 1 : 0,
                      end = Pixels + (Padded == ends::last || Padded == ends::both ? 1 : 2);
        const T* x = begin == 1 ? x_row : x_row - at.x_pixel;
        RIDGEPOINT_UNROLL
        for (int q = begin; q < end; ++q, x += at.x_pixel) RIDGEPOINT_UNROLL
        for (int r = 0; r < Registers; ++r) {
          batch source = some.load(x + r * lanes);
          simd::hold(source);
          RIDGEPOINT_UNROLL
          for (int t = 0; t < 3; ++t)
            if (q >= t && q - t < Pixels) sum[q - t][r] = simd::fma(source, weight[t][r], sum[q - t][r]);
        }
      } else {
        const T *x_column = x_row, *w_column = w_row;
        for (index_t j = 0; j < at.columns; ++j, x_column += at.x_column, w_column += at.w_column) {
          batch weight[Registers];
          RIDGEPOINT_UNROLL
          for (int r = 0; r < Registers; ++r) weight[r] = some.load(w_column + r * lanes);
          const T* x = x_column;
          RIDGEPOINT_UNROLL
          for (int p = 0; p < Pixels; ++p, x += at.x_pixel) RIDGEPOINT_UNROLL
          for (int r = 0; r < Registers; ++r) sum[p][r] = simd::fma(some.load(x + r * lanes), weight[r], sum[p][r]);
        }
      }
    }
    if (bias != nullptr) RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) {
      last[r] = some.load(bias + c + r * lanes);
      RIDGEPOINT_UNROLL
      for (int p = 0; p < Pixels; ++p) sum[p][r] = sum[p][r] + last[r];
    }
    T* y = at.y + c;
    RIDGEPOINT_UNROLL
    for (int p = 0; p < Pixels; ++p, y += at.y_pixel) RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) {
      if constexpr (std::same_as<Lanes, all_lanes>)
        if (writes == stores::streaming) {
          simd::stream(y + r * lanes, sum[p][r]);
          continue;
        }
      some.store(y + r * lanes, sum[p][r]);
    }
  }

  /// Σ zero times the weights of the taps without a source.
  template <class Lanes>
  RIDGEPOINT_NOINLINE batch times_zero(const window_taps& taps, index_t c, Lanes some) const noexcept {
    batch sum(T(0));
    for (index_t tap = 0; tap < window_taps_all; ++tap) {
      bool met = false;
      taps.for_each([&](index_t, index_t other) { met = met || other == tap; });
      if (!met) sum = simd::fma(batch(T(0)), some.load(w + tap * channels + c), sum);
    }
    return sum;
  }
};

/// Repeats each of n values `multiplier` times, adjacent; and the inverse, their sums.
template <class T>
void spread_channels(const T* x, index_t n, index_t multiplier, T* to) noexcept {
  for (index_t i = 0; i < n; ++i)
    for (index_t m = 0; m < multiplier; ++m) *to++ = x[i];
}
template <class T>
void fold_channels(const T* x, index_t n, index_t multiplier, T* to) noexcept {
  for (index_t i = 0; i < n; ++i) {
    T sum(0);
    for (index_t m = 0; m < multiplier; ++m) sum += *x++;
    to[i] = sum;
  }
}

template <class T>
bool all_finite<T>::run(const T* x, index_t n) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  simd::batch<T> sum(T(0));
  for (index_t i = 0; i < n; i += lanes)
    sum = simd::fma(simd::batch<T>(T(0)), simd::load_partial(x + i, (std::min)(lanes, n - i)), sum);
  return exactly(simd::sum<T>(sum), T(0));
}

template <class T>
void depthwise_rows<T>::run(const depthwise_conv2d_args<T>& a, padding outside, stores how, T* memory, index_t begin,
                            index_t end) noexcept {
  const depthwise_geometry& g = a.geometry;
  const window_walk rows = window_walk::over_outputs(g.rows()), columns = window_walk::over_outputs(g.columns());
  const index_t oh = g.oh(), ow = g.ow(), f = g.f(), row = g.w * f;
  depthwise_pass<T> pass{a.x, a.w, a.bias, a.y, f, g.kh * g.kw, outside, how};
  for (index_t i = begin; i < end; ++i) {
    const index_t image = i / oh;
    window_taps taps{.rows = rows.inside(i % oh), .image = image * g.h * g.w, .width = g.w, .taps_across = g.kw};
    if (g.multiplier > 1) {
      for (index_t k = 0; k < taps.rows.count; ++k)
        spread_channels(a.x + (taps.image + (taps.rows.source + k * taps.rows.source_step) * g.w) * g.c, g.w * g.c,
                        g.multiplier, memory + k * row);
      taps.image = taps.rows.source = 0;
      taps.rows.source_step = 1;
      pass.from = memory;
    }
    pass.row(taps, columns, i * ow);
  }
}

template <class T>
void depthwise_backward_data_rows<T>::run(const depthwise_conv2d_backward_data_args<T>& a, stores how, T* memory,
                                          index_t begin, index_t end) noexcept {
  const depthwise_geometry& g = a.geometry;
  const window_walk rows = window_walk::over_inputs(g.rows()), columns = window_walk::over_inputs(g.columns());
  const index_t outputs = g.oh() * g.ow(), f = g.f();
  const bool folds = g.multiplier > 1;
  for (index_t i = begin; i < end; ++i) {
    const window_taps taps{
        .rows = rows.inside(i % g.h), .image = i / g.h * outputs, .width = g.ow(), .taps_across = g.kw};
    T* const dx = a.dx + i * g.w * g.c;
    const depthwise_pass<T> pass{
        a.dy, a.w, nullptr, folds ? memory : dx, f, g.kh * g.kw, padding::adds_nothing, folds ? stores::cached : how};
    pass.row(taps, columns, 0);
    if (folds) fold_channels(memory, g.w * g.c, g.multiplier, dx);
  }
}

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

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/columns.hpp>
#include <ridgepoint/cuda/device/windows.hpp>

namespace ridgepoint_device {

/// y(n, o, f) ← Σ x(n, input of the tap, f / multiplier)·w(tap, f) + bias(f), one thread per output; x is 0 on padding,
/// which is multiplied too.
template <class T>
__global__ void depthwise_conv2d(windows g, divisor multiplier, divisor filters, const T* x, const T* w, const T* bias,
                                 T* y) {
  const index_t outputs = g.images * g.rows.outputs * g.columns.outputs * filters;
  for (index_t e = first_element(); e < outputs; e += element_stride()) {
    const place at = place_of(e, g.rows.outputs, g.columns.outputs, filters);
    number<T> sum = 0;
    for (index_t kh = 0; kh < g.rows.taps; ++kh)
      for (index_t kw = 0; kw < g.columns.taps; ++kw) {
        const index_t h = g.rows.input(at.row, kh), column = g.columns.input(at.column, kw);
        const index_t pixel = (at.n * g.rows.extent + h) * g.columns.extent + column;
        const bool inside = g.rows.inside(h) && g.columns.inside(column);
        sum += (inside ? x[pixel * g.channels + at.channel / multiplier] : T(0)) *
               w[(kh * g.columns.taps + kw) * filters + at.channel];
      }
    y[e] = bias == nullptr ? sum : sum + bias[at.channel];
  }
}

/// Returns the output that reads an input with a tap; −1 if none does.
__device__ inline index_t output_through(const window_axis& a, index_t input, index_t tap) {
  const index_t past = input + a.before - tap * a.dilation;
  if (past < 0) return -1;
  const division at = divide(past, a.stride);
  return at.rest == 0 && at.quotient < a.outputs ? at.quotient : -1;
}
/// dx(n, i, c) ← Σ dy·w over the taps that read it and the filters of the channel, one thread per input.
template <class T>
__global__ void depthwise_conv2d_backward_data(windows g, index_t multiplier, const T* dy, const T* w, T* dx) {
  const index_t filters = g.channels * multiplier, inputs = g.images * g.rows.extent * g.columns.extent * g.channels;
  for (index_t e = first_element(); e < inputs; e += element_stride()) {
    const place at = place_of(e, g.rows.extent, g.columns.extent, g.channels);
    number<T> sum = 0;
    for (index_t kh = 0; kh < g.rows.taps; ++kh) {
      const index_t oh = output_through(g.rows, at.row, kh);
      for (index_t kw = 0; oh >= 0 && kw < g.columns.taps; ++kw) {
        const index_t ow = output_through(g.columns, at.column, kw);
        if (ow < 0) continue;
        const index_t o = ((at.n * g.rows.outputs + oh) * g.columns.outputs + ow) * filters;
        const index_t tap = (kh * g.columns.taps + kw) * filters;
        for (index_t f = at.channel * multiplier; f < (at.channel + 1) * multiplier; ++f) sum += dy[o + f] * w[tap + f];
      }
    }
    dx[e] = sum;
  }
}

/// Filter taps that one thread sums at once, in registers: enough for 3×3.
constexpr int taps_of_a_thread = 9;

/// parts ← Σ x(n, input of the tap, f / multiplier)·dy(n, o, f), one column per tap and filter, and Σ dy(n, o, f). A
/// thread takes one filter and a group of its taps: it reads dy once per pixel for the group. Adjacent threads read
/// adjacent channels.
template <class T>
__global__ void depthwise_conv2d_sums(windows g, divisor multiplier, divisor filters, unsigned width, const T* x,
                                      const T* dy, number<T>* parts) {
  constexpr divisor one{1, 1U << 31, 31};
  const index_t taps = g.rows.taps * g.columns.taps, groups = (taps + taps_of_a_thread - 1) / taps_of_a_thread;
  const column_share mine = share_of_columns(groups * filters, width);
  const auto [group, f] = divide(mine.column, filters);
  const index_t first = group * taps_of_a_thread, first_kh = first / g.columns.taps, first_kw = first % g.columns.taps;
  const index_t pixels = g.images * g.rows.outputs * g.columns.outputs, next_column = g.columns.dilation * g.channels,
                next_line = g.rows.dilation * g.columns.extent * g.channels - g.columns.taps * next_column;
  number<T> sums[taps_of_a_thread] = {}, sum_of_dy = 0;
  for (index_t row = group < groups ? mine.first : pixels; row < pixels; row += mine.stride) {
    const place at = place_of(row, g.rows.outputs, g.columns.outputs, one);
    const index_t left = g.columns.input(at.column, 0);
    index_t kw = first_kw, h = g.rows.input(at.row, first_kh), w = g.columns.input(at.column, kw);
    index_t i = ((at.n * g.rows.extent + h) * g.columns.extent + w) * g.channels + f / multiplier;
    const number<T> d = dy[row * filters + f];
    for (int k = 0; k < taps_of_a_thread; ++k) {
      const bool inside = first + k < taps && g.rows.inside(h) && g.columns.inside(w);
      sums[k] += (inside ? x[i] : T(0)) * d;
      ++kw, w += g.columns.dilation, i += next_column;
      if (kw == g.columns.taps) kw = 0, w = left, h += g.rows.dilation, i += next_line;
    }
    sum_of_dy += d;
  }
  const index_t cols = taps * filters;
  const number<T> all = sum_of_lanes(sum_of_dy, width);
  for (int k = 0; k < taps_of_a_thread; ++k) {
    const number<T> sum = sum_of_lanes(sums[k], width);
    if (mine.lane != 0 || group >= groups || first + k >= taps) continue;
    const index_t column = (first + k) * filters + f;
    parts[2 * mine.part * cols + column] = sum;
    parts[(2 * mine.part + 1) * cols + column] = all;
  }
}

}  // namespace ridgepoint_device

// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/windows.hpp>

namespace ridgepoint_device {

/// y ← the largest x of each window, the first of equal ones, or the last NaN; index, unless null, ← its tap. One
/// thread per output.
template <class T>
__global__ void max_pool2d(windows g, const T* x, T* y, unsigned char* index) {
  const index_t outputs = g.images * g.rows.outputs * g.columns.outputs * g.channels;
  for (index_t e = first_element(); e < outputs; e += element_stride()) {
    const place at = place_of(e, g.rows.outputs, g.columns.outputs, g.channels);
    const span rows = taps_inside(g.rows, at.row), columns = taps_inside(g.columns, at.column);
    number<T> best = static_cast<number<T>>(-infinity());
    index_t best_tap = -1;
    for (index_t kh = rows.begin; kh < rows.end; ++kh)
      for (index_t kw = columns.begin; kw < columns.end; ++kw) {
        const index_t row = at.n * g.rows.extent + g.rows.input(at.row, kh);
        const number<T> value = x[(row * g.columns.extent + g.columns.input(at.column, kw)) * g.channels + at.channel];
        if (value > best || best_tap < 0 || value != value) best = value, best_tap = kh * g.columns.taps + kw;
      }
    y[e] = best;
    if (index != nullptr) index[e] = static_cast<unsigned char>(best_tap);
  }
}
/// dx ← Σ dy of the outputs whose maximum it was, one thread per input.
template <class T>
__global__ void max_pool2d_backward(windows g, const T* dy, const unsigned char* index, T* dx) {
  const index_t inputs = g.images * g.rows.extent * g.columns.extent * g.channels;
  for (index_t e = first_element(); e < inputs; e += element_stride()) {
    const place at = place_of(e, g.rows.extent, g.columns.extent, g.channels);
    const span rows = outputs_over(g.rows, at.row), columns = outputs_over(g.columns, at.column);
    number<T> sum = 0;
    for (index_t oh = rows.begin; oh < rows.end; ++oh)
      for (index_t ow = columns.begin; ow < columns.end; ++ow) {
        const index_t kh = at.row - g.rows.input(oh, 0), kw = at.column - g.columns.input(ow, 0);
        const index_t line = at.n * g.rows.outputs + oh;
        const index_t o = (line * g.columns.outputs + ow) * g.channels + at.channel;
        if (index[o] == kh * g.columns.taps + kw) sum += dy[o];
      }
    dx[e] = sum;
  }
}

/// Must match the numbers of ridgepoint::mean_over.
enum class mean_over : unsigned char { image, window };

/// Returns 1 / the number of elements that the mean of an output's window counts.
template <class T>
__device__ T share_of_taps(const windows& g, mean_over over, index_t oh, index_t ow) {
  if (over == mean_over::window) return T(1) / static_cast<T>(taps_padded(g.rows, oh) * taps_padded(g.columns, ow));
  return T(1) / static_cast<T>(taps_inside(g.rows, oh).size() * taps_inside(g.columns, ow).size());
}
/// y ← the mean of each window, summed line by line; one thread per output.
template <class T>
__global__ void avg_pool2d(windows g, mean_over over, const T* x, T* y) {
  const index_t outputs = g.images * g.rows.outputs * g.columns.outputs * g.channels;
  for (index_t e = first_element(); e < outputs; e += element_stride()) {
    const place at = place_of(e, g.rows.outputs, g.columns.outputs, g.channels);
    const span rows = taps_inside(g.rows, at.row), columns = taps_inside(g.columns, at.column);
    number<T> sum = 0;
    for (index_t kh = rows.begin; kh < rows.end; ++kh) {
      const index_t row = at.n * g.rows.extent + g.rows.input(at.row, kh);
      number<T> line = 0;
      for (index_t kw = columns.begin; kw < columns.end; ++kw)
        line += x[(row * g.columns.extent + g.columns.input(at.column, kw)) * g.channels + at.channel];
      sum += line;
    }
    y[e] = sum * share_of_taps<number<T>>(g, over, at.row, at.column);
  }
}
/// dx ← Σ dy / the mean's count over the windows that contain it; one thread per input.
template <class T>
__global__ void avg_pool2d_backward(windows g, mean_over over, const T* dy, T* dx) {
  const index_t inputs = g.images * g.rows.extent * g.columns.extent * g.channels;
  for (index_t e = first_element(); e < inputs; e += element_stride()) {
    const place at = place_of(e, g.rows.extent, g.columns.extent, g.channels);
    const span rows = outputs_over(g.rows, at.row), columns = outputs_over(g.columns, at.column);
    number<T> sum = 0;
    for (index_t oh = rows.begin; oh < rows.end; ++oh)
      for (index_t ow = columns.begin; ow < columns.end; ++ow) {
        const index_t line = at.n * g.rows.outputs + oh;
        sum +=
            dy[(line * g.columns.outputs + ow) * g.channels + at.channel] * share_of_taps<number<T>>(g, over, oh, ow);
      }
    dx[e] = sum;
  }
}

}  // namespace ridgepoint_device

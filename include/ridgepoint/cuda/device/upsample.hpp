// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/windows.hpp>

namespace ridgepoint_device {

/// Must match the numbers of ridgepoint::upsampling.
enum class upsampling : int { nearest, bilinear };

/// Images (images, rows, columns, channels) and their enlargement factors.
struct enlarged_images {
  index_t images;
  divisor rows, columns, channels, row_factor, column_factor, larger_rows, larger_columns;
};

/// The pixels that output o of a line depends on, and their weights as multiples of 1 / (2·factor): see
/// ridgepoint::taps_of.
struct line_blend {
  index_t first, second, near, far;

  __device__ bool holds(index_t i) const { return first == i || second == i; }
  /// Returns the weight of pixel i.
  __device__ index_t of(index_t i) const { return (first == i ? near : 0) + (second == i ? far : 0); }
};
__device__ inline line_blend blend_of(index_t o, index_t extent, const divisor& factor) {
  const auto [whole, rest] = divide(o, factor);
  const index_t past = 2 * rest + 1 - factor;  // distance from the pixel's centre, in half steps
  const index_t first = past < 0 ? whole - 1 : whole, far = past < 0 ? past + 2 * factor : past;
  return {first < 0 ? 0 : first, first + 1 < extent ? first + 1 : extent - 1, 2 * factor - far, far};
}
/// Returns the outputs that may depend on pixel i: see ridgepoint::reach_of.
__device__ inline span reach_of(index_t i, index_t extent, index_t factor, upsampling how) {
  if (how == upsampling::nearest) return {i * factor, (i + 1) * factor};
  return {(i > 0 ? i - 1 : 0) * factor, (i + 2 < extent ? i + 2 : extent) * factor};
}

/// y ← x of the nearest pixel, or the blend of four pixels; one thread per output.
template <class T>
__global__ void upsample(enlarged_images g, upsampling how, const T* x, T* y) {
  const index_t outputs = g.images * g.larger_rows * g.larger_columns * g.channels;
  for (index_t e = first_element(); e < outputs; e += element_stride()) {
    const place at = place_of(e, g.larger_rows, g.larger_columns, g.channels);
    const auto pixel = [&](index_t row, index_t column) {
      return x[((at.n * g.rows + row) * g.columns + column) * g.channels + at.channel];
    };
    if (how == upsampling::nearest) {
      y[e] = pixel(at.row / g.row_factor, at.column / g.column_factor);
      continue;
    }
    const line_blend r = blend_of(at.row, g.rows, g.row_factor), c = blend_of(at.column, g.columns, g.column_factor);
    const auto steps = static_cast<number<T>>(2 * g.row_factor);
    const number<T> near = static_cast<number<T>>(r.near) / steps, far = static_cast<number<T>>(r.far) / steps;
    const number<T> left = pixel(r.first, c.first) * near + pixel(r.second, c.first) * far,
                    right = pixel(r.first, c.second) * near + pixel(r.second, c.second) * far;
    const auto across = static_cast<number<T>>(2 * g.column_factor);
    y[e] = left * (static_cast<number<T>>(c.near) / across) + right * (static_cast<number<T>>(c.far) / across);
  }
}
/// dx ← Σ dy·weight over the outputs that depend on the pixel; one thread per pixel and channel.
template <class T>
__global__ void upsample_backward(enlarged_images g, upsampling how, const T* dy, T* dx) {
  const auto steps = static_cast<number<T>>(4 * g.row_factor * g.column_factor);
  for (index_t e = first_element(); e < g.images * g.rows * g.columns * g.channels; e += element_stride()) {
    const place at = place_of(e, g.rows, g.columns, g.channels);
    const span rows = reach_of(at.row, g.rows, g.row_factor, how),
               columns = reach_of(at.column, g.columns, g.column_factor, how);
    number<T> sum = 0;
    for (index_t oh = rows.begin; oh < rows.end; ++oh) {
      const line_blend r = blend_of(oh, g.rows, g.row_factor);
      const T* const line = dy + (at.n * g.larger_rows + oh) * g.larger_columns * g.channels + at.channel;
      for (index_t ow = columns.begin; ow < columns.end; ++ow) {
        const line_blend c = blend_of(ow, g.columns, g.column_factor);
        const number<T> d = line[ow * g.channels];
        if (how == upsampling::nearest) sum += d;
        else if (r.holds(at.row) && c.holds(at.column))
          sum += d * (static_cast<number<T>>(r.of(at.row) * c.of(at.column)) / steps);
      }
    }
    dx[e] = sum;
  }
}

}  // namespace ridgepoint_device

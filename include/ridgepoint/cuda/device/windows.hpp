// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// One axis of a sliding window: output o reads inputs o·stride − before + tap·dilation for tap < taps.
struct window_axis {
  divisor extent, outputs, stride;
  index_t taps, before, after, dilation;

  __device__ index_t input(index_t output, index_t tap) const { return output * stride - before + tap * dilation; }
  /// As unsigned, an input before the first is beyond the last.
  __device__ bool inside(index_t input) const {
    return static_cast<unsigned long>(input) < static_cast<unsigned long>(extent.value);
  }
};
/// Windows over images (images, rows.extent, columns.extent, channels).
struct windows {
  index_t images;
  divisor channels;
  window_axis rows, columns;
};

/// The range [begin, end).
struct span {
  index_t begin, end;
  __device__ index_t size() const { return end > begin ? end - begin : 0; }
};
/// Returns the taps of an output that are on the image; dilation 1.
__device__ inline span taps_inside(const window_axis& a, index_t output) {
  const index_t first = a.input(output, 0);
  return {first < 0 ? -first : 0, first + a.taps > a.extent ? a.extent - first : a.taps};
}
/// Returns how many taps of an output are on the image or its padding; dilation 1.
__device__ inline index_t taps_padded(const window_axis& a, index_t output) {
  const index_t room = a.extent + a.after - a.input(output, 0);
  return room < a.taps ? room : a.taps;
}
/// Returns the outputs whose windows contain an input; dilation 1.
__device__ inline span outputs_over(const window_axis& a, index_t input) {
  const index_t first = input + a.before - a.taps + 1, last = (input + a.before) / a.stride;
  return {first <= 0 ? 0 : (first + a.stride - 1) / a.stride, last < a.outputs ? last + 1 : a.outputs};
}

/// Position of an element of images (n, rows, columns, channels).
struct place {
  index_t n, row, column, channel;
};
__device__ inline place place_of(index_t element, const divisor& rows, const divisor& columns,
                                 const divisor& channels) {
  if (element >= small_numbers) {
    const index_t pixel = element / channels.value, line = pixel / columns.value;
    return {line / rows.value, line % rows.value, pixel % columns.value, element % channels.value};
  }
  const auto e = static_cast<unsigned>(element);
  const unsigned pixel = channels.quotient_of_small(e), line = columns.quotient_of_small(pixel),
                 n = rows.quotient_of_small(line);
  return {n, line - n * static_cast<unsigned>(rows.value), pixel - line * static_cast<unsigned>(columns.value),
          e - pixel * static_cast<unsigned>(channels.value)};
}

}  // namespace ridgepoint_device

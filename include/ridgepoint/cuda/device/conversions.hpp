// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/packs.hpp>
#include <ridgepoint/cuda/device/step_state.hpp>

namespace ridgepoint_device {

/// y(i) ← x(i) in another element type; with a state also scales by its loss_scale or unscales: see
/// ridgepoint::convert_args.
template <class To, class From>
__global__ void convert(index_t size, const From* x, To* y, const step_state* scale_state) {
  if (scale_state == nullptr) {
    map_elements(
        size, y, [](const From& v) { return To(v); }, x);
  } else {
    const float factor =
        sizeof(To) < sizeof(From) ? static_cast<float>(scale_state->loss_scale) : unscaling<float>(scale_state);
    map_elements(
        size, y, [&](const From& v) { return To(v * factor); }, x);
  }
}
/// Converts rows of `width` elements, one for each of n samples of each step, with any strides.
template <class To, class From>
__global__ void convert_steps(index_t steps, divisor n, divisor width, const From* x, index_t x_step, index_t x_sample,
                              To* y, index_t y_step, index_t y_sample) {
  for (index_t e = first_element(); e < steps * n * width; e += element_stride()) {
    const auto [row, j] = divide(e, width);
    const auto [t, i] = divide(row, n);
    y[t * y_step + i * y_sample + j] = x[t * x_step + i * x_sample + j];
  }
}

}  // namespace ridgepoint_device

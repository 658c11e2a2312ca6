// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/recurrent.hpp>
#include <ridgepoint/cuda/device/threads.hpp>

/// \file
/// Data movement for a library's recurrent layer: weights to and from the library's layout, sequences to and from a
/// dense layout.
namespace ridgepoint_device {

/// Must match ridgepoint::detail::placed_weights.
template <class T>
struct placed_weight {
  T* ours;
  index_t offset, rows, cols, row_stride, col_stride;
};
template <class T>
struct placed_weights {
  index_t count;
  placed_weight<T> each[16];
};

/// space ← the weights; gaps between them are not written.
template <class T>
__global__ void pack_weights(placed_weights<const T> weights, T* space) {
  for (index_t k = 0; k < weights.count; ++k) {
    const placed_weight<const T> w = weights.each[k];
    for (index_t e = first_element(); e < w.rows * w.cols; e += element_stride())
      space[w.offset + e] = given(w.ours, e / w.cols * w.row_stride + e % w.cols * w.col_stride);
  }
}
/// The weights ← space.
template <class T>
__global__ void unpack_weights(placed_weights<T> weights, const T* space) {
  for (index_t k = 0; k < weights.count; ++k) {
    const placed_weight<T> w = weights.each[k];
    if (w.ours == nullptr) continue;
    for (index_t e = first_element(); e < w.rows * w.cols; e += element_stride())
      w.ours[e / w.cols * w.row_stride + e % w.cols * w.col_stride] = space[w.offset + e];
  }
}

/// kept(4·units) ← the biases of all gates. For a GRU, the biases of r and z are the sum of both, and the bias of n's
/// product with the state follows that of n.
template <class T>
__global__ void keep_biases(index_t units, index_t gates, const T* bias, const T* state_bias, T* kept) {
  for (index_t e = first_element(); e < 4 * units; e += element_stride())
    kept[e] = e >= gates * units ? given(state_bias, e - units)
                                 : given(bias, e) + (e < 2 * units ? given(state_bias, e) : T(0));
}

/// to ← from(steps, n, width), both with strides between steps and samples; zeros if from is null.
template <class T>
__global__ void copy_sequence(index_t steps, divisor n, divisor width, const T* from, index_t from_step,
                              index_t from_sample, T* to, index_t to_step, index_t to_sample) {
  for (index_t e = first_element(); e < steps * n * width; e += element_stride()) {
    const auto [row, j] = divide(e, width);
    const auto [t, i] = divide(row, n);
    to[t * to_step + i * to_sample + j] = given(from, t * from_step + i * from_sample + j);
  }
}

}  // namespace ridgepoint_device

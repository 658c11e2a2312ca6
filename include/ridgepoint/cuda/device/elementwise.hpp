// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/activation.hpp>
#include <ridgepoint/cuda/device/packs.hpp>
#include <ridgepoint/cuda/device/step_state.hpp>

/// \file
/// Element-wise ops, compiled so that every operation rounds separately: a chain of them then has the same bits as
/// separate calls.
namespace ridgepoint_device {

/// y(i) ← f(x(i)).
template <class T>
__global__ void activate(activation f, number<T> slope, index_t size, const T* x, T* y) {
  map_elements(
      size, y, [&](number<T> v) { return T(activated<number<T>>(f, v, slope)); }, x);
}
/// dx(i) ← f'·dy(i), from y; y is not read if f is none.
template <class T>
__global__ void activate_backward(activation f, number<T> slope, index_t size, const T* y, const T* dy, T* dx) {
  map_elements(
      size, dx, [&](number<T> v, number<T> d) { return T(activated_backward<number<T>>(f, v, d, slope)); },
      f == activation::none ? dy : y, dy);
}
/// y(i) ← a(i) + b(i).
template <class T>
__global__ void add(index_t size, const T* a, const T* b, T* y) {
  map_elements(
      size, y, [](number<T> u, number<T> v) { return T(u + v); }, a, b);
}
/// Returns f(x + bias(j)); a null bias is 0.
template <class T>
__device__ number<T> with_bias(activation f, number<T> x, const T* bias, index_t j) {
  return activated<number<T>>(f, x + (bias == nullptr ? T(0) : bias[j]), 0);
}
/// y(i, j) ← f(x(i, j) + bias(j)), lines of `channels` elements with stride `stride`.
template <class T>
__global__ void add_bias(activation f, index_t rows, divisor channels, index_t stride, const T* x, const T* bias,
                         T* y) {
  if (stride == channels.value) {
    map_columns(
        rows * channels, channels, y, [&](index_t j, number<T> v) { return T(with_bias<T>(f, v, bias, j)); }, x);
    return;
  }
  for (index_t e = first_element(); e < rows * channels; e += element_stride()) {
    const auto [row, j] = divide(e, channels);
    const index_t i = row * stride + j;
    y[i] = with_bias<T>(f, x[i], bias, j);
  }
}

/// Returns word `which` of Philox 4×32-10: see ridgepoint::philox4x32.
__device__ inline unsigned philox_word(unsigned c0, unsigned c1, unsigned c2, unsigned c3, unsigned long key,
                                       unsigned which) {
  auto k0 = static_cast<unsigned>(key), k1 = static_cast<unsigned>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const unsigned long p0 = 0xD2511F53UL * c0, p1 = 0xCD9E8D57UL * c2;
    const unsigned n0 = static_cast<unsigned>(p1 >> 32) ^ c1 ^ k0, n2 = static_cast<unsigned>(p0 >> 32) ^ c3 ^ k1;
    c0 = n0, c1 = static_cast<unsigned>(p1), c2 = n2, c3 = static_cast<unsigned>(p0);
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return which == 0 ? c0 : which == 1 ? c1 : which == 2 ? c2 : c3;
}
/// Returns the 16 bits that decide whether element e is kept: see ridgepoint::dropout_mask.
__device__ inline unsigned dropout_bits(index_t e, unsigned long seed, unsigned step, unsigned stream) {
  const auto element = static_cast<unsigned long>(e);
  const unsigned long c = element / 128 * 16 + element % 16;
  const unsigned word = philox_word(static_cast<unsigned>(c), static_cast<unsigned>(c >> 32), step, stream, seed,
                                    static_cast<unsigned>(element % 128 / 32));
  return element % 32 < 16 ? word & 0xFFFFU : word >> 16;
}
/// The dropout mask of a layer: it keeps elements whose bits are not below the threshold. All `steps` of a sequence,
/// each of `width` elements, use the same mask.
struct dropout_choice {
  unsigned long seed;
  index_t steps, width;
  unsigned stream, threshold;

  __device__ bool keeps(index_t i, unsigned step) const {
    const index_t e = steps == 1 ? i : i / (steps * width) * width + i % width;
    return dropout_bits(e, seed, step, stream) >= threshold;
  }
};
/// y(i) ← kept(i) ? x(i)·scale : 0, with the mask of the current step.
template <class T>
__global__ void dropout(index_t size, const T* x, T* y, unsigned threshold, number<T> scale, unsigned long seed,
                        unsigned stream, const step_state* state, index_t steps, index_t width) {
  const dropout_choice mask{seed, steps, width, stream, threshold};
  const auto step = static_cast<unsigned>(state->step);
  for (index_t i = first_element(); i < size; i += element_stride())
    y[i] = mask.keeps(i, step) ? T(x[i] * scale) : T(0);
}

}  // namespace ridgepoint_device

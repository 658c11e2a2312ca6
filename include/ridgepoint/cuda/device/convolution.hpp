// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/activation.hpp>
#include <ridgepoint/cuda/device/packs.hpp>
#include <ridgepoint/cuda/device/threads.hpp>

/// \file
/// Convolutions by their definition, of any geometry, each sum in a fixed order: for those cuDNN does not support.
namespace ridgepoint_device {

/// See ridgepoint::conv2d_geometry.
struct conv2d_geometry {
  index_t n, h, w, c, f, kh, kw, stride_h, stride_w, top, bottom, left, right, dilation_h, dilation_w, groups;

  __device__ index_t oh() const { return (h + top + bottom - (kh - 1) * dilation_h - 1) / stride_h + 1; }
  __device__ index_t ow() const { return (w + left + right - (kw - 1) * dilation_w - 1) / stride_w + 1; }
  __device__ index_t group_c() const { return c / groups; }
  __device__ index_t group_f() const { return f / groups; }
};

/// y(n, oh, ow, f) ← act(Σ x·w + bias(f) + residual(n, oh, ow, f)), one thread per element; x is 0 on padding.
template <class T>
__global__ void convolve(activation act, number<T> slope, conv2d_geometry g, const T* x, const T* w, const T* bias,
                         const T* residual, T* y) {
  const index_t oh = g.oh(), ow = g.ow(), channels = g.group_c();
  for (index_t e = first_element(); e < g.n * oh * ow * g.f; e += element_stride()) {
    const index_t f = e % g.f, column = e / g.f % ow * g.stride_w - g.left,
                  row = e / (g.f * ow) % oh * g.stride_h - g.top, n = e / (g.f * ow * oh);
    number<T> sum = 0;
    for (index_t kh = 0; kh < g.kh; ++kh)
      for (index_t kw = 0; kw < g.kw; ++kw) {
        const index_t i = row + kh * g.dilation_h, j = column + kw * g.dilation_w;
        const bool inside = i >= 0 && i < g.h && j >= 0 && j < g.w;
        const T* const pixel = x + ((n * g.h + i) * g.w + j) * g.c + f / g.group_f() * channels;
        const T* const line = w + (kh * g.kw + kw) * channels * g.f + f;
        for (index_t c = 0; c < channels; ++c) sum += (inside ? pixel[c] : T(0)) * line[c * g.f];
      }
    sum += (bias == nullptr ? T(0) : bias[f]) + (residual == nullptr ? T(0) : residual[e]);
    y[e] = activated<number<T>>(act, sum, slope);
  }
}

/// dx(n, h, w, c) ← Σ dy·w over the outputs and taps that read it, one thread per element.
template <class T>
__global__ void convolve_back(conv2d_geometry g, const T* dy, const T* w, T* dx) {
  const index_t oh = g.oh(), ow = g.ow(), channels = g.group_c(), filters = g.group_f();
  for (index_t e = first_element(); e < g.n * g.h * g.w * g.c; e += element_stride()) {
    const index_t c = e % g.c, column = e / g.c % g.w + g.left, row = e / (g.c * g.w) % g.h + g.top,
                  n = e / (g.c * g.w * g.h), first = c / channels * filters;
    number<T> sum = 0;
    for (index_t kh = 0; kh < g.kh; ++kh) {
      const index_t i = row - kh * g.dilation_h;
      if (i < 0 || i % g.stride_h != 0 || i / g.stride_h >= oh) continue;
      for (index_t kw = 0; kw < g.kw; ++kw) {
        const index_t j = column - kw * g.dilation_w;
        if (j < 0 || j % g.stride_w != 0 || j / g.stride_w >= ow) continue;
        const T* const from = dy + ((n * oh + i / g.stride_h) * ow + j / g.stride_w) * g.f + first;
        const T* const line = w + ((kh * g.kw + kw) * channels + c % channels) * g.f + first;
        for (index_t f = 0; f < filters; ++f) sum += from[f] * line[f];
      }
    }
    dx[e] = sum;
  }
}

/// dw(kh, kw, c, f) ← Σ x·dy over samples and outputs: 32 filters f per block, whose warps share the outputs.
template <class T>
__global__ void convolution_weights(conv2d_geometry g, const T* x, const T* dy, T* dw) {
  constexpr unsigned lanes = 32;
  __shared__ number<T> parts[block_threads];
  const unsigned i = threadIdx.x, lane = i % lanes;
  const index_t oh = g.oh(), ow = g.ow(), channels = g.group_c(), tiles = (g.f + lanes - 1) / lanes,
                lines = g.kh * g.kw * channels;
  for (index_t b = blockIdx.x; b < lines * tiles; b += gridDim.x) {
    const index_t f = b % tiles * lanes + lane, line = b / tiles, kw = line / channels % g.kw,
                  kh = line / (channels * g.kw), c = f / g.group_f() * channels + line % channels;
    number<T> mine = 0;
    for (index_t o = i / lanes; f < g.f && o < g.n * oh * ow; o += blockDim.x / lanes) {
      const index_t column = o % ow * g.stride_w - g.left + kw * g.dilation_w,
                    row = o / ow % oh * g.stride_h - g.top + kh * g.dilation_h, n = o / (ow * oh);
      const bool inside = row >= 0 && row < g.h && column >= 0 && column < g.w;
      mine += (inside ? x[((n * g.h + row) * g.w + column) * g.c + c] : T(0)) * dy[o * g.f + f];
    }
    parts[i] = mine;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half >= lanes; half /= 2) {
      if (i < half) parts[i] += parts[i + half];
      __syncthreads();
    }
    if (i < lanes && f < g.f) dw[line * g.f + f] = parts[i];
    __syncthreads();
  }
}

/// y(i) ← act(y(i) + bias(i mod channels) + residual(i)).
template <class T>
__global__ void finish_convolution(activation act, number<T> slope, index_t size, divisor channels, const T* bias,
                                   const T* residual, T* y) {
  const auto finished = [&](index_t j, number<T> v, number<T> r) {
    return T(activated<number<T>>(act, v + (bias == nullptr ? T(0) : bias[j]) + r, slope));
  };
  if (residual == nullptr)
    map_columns(
        size, channels, y, [&](index_t j, number<T> v) { return finished(j, v, 0); }, y);
  else map_columns(size, channels, y, finished, y, residual);
}
/// Rows and columns of the tiles of a transpose.
constexpr unsigned transposed_tile = 32;

/// y(j, i) ← x(i, j), one block per tile, through shared memory: adjacent threads read and write adjacent elements.
template <class T>
__global__ void transpose(index_t rows, index_t cols, const T* x, T* y) {
  constexpr unsigned side = transposed_tile;
  __shared__ T tile[side][side + 1];  // + 1: elements of a column are in different banks
  const unsigned lane = threadIdx.x % side, line = threadIdx.x / side, lines = blockDim.x / side;
  const index_t across = (cols + side - 1) / side, tiles = (rows + side - 1) / side * across;
  for (index_t b = blockIdx.x; b < tiles; b += gridDim.x) {
    const index_t top = b / across * side, left = b % across * side;
    for (unsigned i = line; i < side; i += lines)
      if (top + i < rows && left + lane < cols) tile[i][lane] = x[(top + i) * cols + left + lane];
    __syncthreads();
    for (unsigned j = line; j < side; j += lines)
      if (left + j < cols && top + lane < rows) y[(left + j) * rows + top + lane] = tile[lane][j];
    __syncthreads();
  }
}

}  // namespace ridgepoint_device

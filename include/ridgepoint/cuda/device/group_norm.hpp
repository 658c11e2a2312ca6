// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/columns.hpp>
#include <ridgepoint/cuda/device/step_state.hpp>
#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// Images of pixels with channels in groups. Layer normalisation has images of one pixel and one group. The backward
/// sums of batch normalisation have one image and one group per channel.
struct grouped_images {
  index_t images;
  divisor pixels;
  index_t channels, groups;
};

/// Calls use(element, channel) for this thread's elements of group `at`: `width` adjacent threads take adjacent
/// channels, the other threads take pixels.
template <class Use>
__device__ void for_group(const grouped_images& g, index_t at, unsigned width, const Use& use) {
  const index_t each = g.channels / g.groups, image = at / g.groups, first = at % g.groups * each;
  const index_t lanes = blockDim.x / width;
  for (index_t j = threadIdx.x % width; j < each; j += width)
    for (index_t p = threadIdx.x / width; p < g.pixels; p += lanes)
      use((image * g.pixels + p) * g.channels + first + j, first + j);
}

/// y ← (x − mean)·(inverse·gamma) + beta, one block per group of an image; y may be x, mean and inverse null.
template <class T>
__global__ void group_norm(T epsilon, grouped_images g, unsigned width, const T* x, const T* gamma, const T* beta, T* y,
                           T* mean, T* inverse) {
  const index_t count = g.pixels * (g.channels / g.groups);
  for (index_t at = blockIdx.x; at < g.images * g.groups; at += gridDim.x) {
    T all = 0;
    for_group(g, at, width, [&](index_t i, index_t) { all += x[i]; });
    const T centre = centre_near(sum_of_block(all) / static_cast<T>(count));
    T sum = 0, squares = 0;
    for_group(g, at, width, [&](index_t i, index_t) {
      const T d = x[i] - centre;
      sum += d;
      squares += d * d;
    });
    sum = sum_of_block(sum);
    moments<T> m = moments_about(centre, sum, sum_of_block(squares), count, epsilon);
    if (overflowed(m)) {  // true in all threads of the block, or in none
      double variance = 0;
      m = moments_in_double<T>(
          count, epsilon, variance,
          [&](const auto& use) { for_group(g, at, width, [&](index_t i, index_t) { use(x[i]); }); },
          [](double part) { return sum_of_block(part); });
    }
    for_group(g, at, width,
              [&](index_t i, index_t c) { y[i] = (x[i] - m.centre - m.rest) * (m.inverse * gamma[c]) + beta[c]; });
    if (threadIdx.x != 0 || mean == nullptr) continue;
    mean[at] = m.centre + m.rest;
    inverse[at] = m.inverse;
  }
}

/// parts ← Σ dy and Σ dy·(x − mean)·inverse over the pixels of all images, for dbeta and dgamma. x and dy may be stored
/// in a shorter type than T, which sums are computed in; dy is then scaled if a state is passed.
template <class T, class X = T>
__global__ void group_norm_sums(grouped_images g, unsigned width, const X* x, const T* mean, const T* inverse,
                                const X* dy, const step_state* scale_state, T* parts) {
  const index_t each = g.channels / g.groups;
  const T factor = unscaling<T>(scale_state);
  sum_columns(g.images * g.pixels, g.channels, width, parts, [&](index_t row, index_t c, two_sums<T>& sums) {
    const index_t image = g.images == 1 ? 0 : g.pixels == 1 ? row : row / g.pixels;  // divides only if necessary
    const index_t i = row * g.channels + c, at = image * g.groups + c / each;
    const T gradient = dy[i] * factor;  // a power of two: exact with and without contraction
    sums.first += gradient;
    sums.second += gradient * ((x[i] - mean[at]) * inverse[at]);
  });
}
/// dx ← inverse·(gamma·dy − Σ gamma·dy / count − (x − mean)·inverse²·Σ gamma·dy·(x − mean) / count), one block per
/// group of an image; dx may be dy.
template <class T>
__global__ void group_norm_backward(grouped_images g, unsigned width, const T* x, const T* gamma, const T* mean,
                                    const T* inverse, const T* dy, T* dx) {
  const T share = T(1) / static_cast<T>(g.pixels * (g.channels / g.groups));
  for (index_t at = blockIdx.x; at < g.images * g.groups; at += gridDim.x) {
    const T centre = mean[at], scale = inverse[at];
    T sum = 0, products = 0;
    for_group(g, at, width, [&](index_t i, index_t c) {
      const T scaled = gamma[c] * dy[i];
      sum += scaled;
      products += scaled * (x[i] - centre);
    });
    const T offset = sum_of_block(sum) * share, all_products = sum_of_block(products);
    const bool tiny = sizeof(T) < sizeof(double) && scale < T(0x1p-40);  // its square underflows T
    const T slope = tiny ? scale * all_products * share * scale : scale * scale * all_products * share;
    for_group(g, at, width,
              [&](index_t i, index_t c) { dx[i] = scale * (gamma[c] * dy[i] - offset - (x[i] - centre) * slope); });
  }
}

}  // namespace ridgepoint_device

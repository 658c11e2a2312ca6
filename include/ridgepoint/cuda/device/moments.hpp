// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// Mean and 1/√(variance + ε) of numbers; the mean is split into a centre and a rest. A number minus its mean is (x −
/// centre) − rest, which loses no digits if all numbers are far from zero.
template <class T>
struct moments {
  T centre, rest, variance, inverse;
};

/// Returns a centre near the mean: 0 if the mean is not finite, so that the mean of infinite numbers is infinite.
template <class T>
__device__ T centre_near(T mean) {
  return mean - mean == T(0) ? mean : T(0);
}
/// Returns the moments of `count` numbers from Σ (x − centre) and Σ (x − centre)².
template <class T>
__device__ moments<T> moments_about(T centre, T sum, T squares, index_t count, T epsilon) {
  const T n = static_cast<T>(count), rest = sum / n, spread = (squares - rest * sum) / n;
  const T variance = spread < T(0) ? T(0) : spread;
  return {centre, rest, variance, T(1) / sqrt(variance + epsilon)};
}

/// Returns whether the squares of the numbers overflowed T, or a number was NaN.
template <class T>
__device__ bool overflowed(const moments<T>& m) {
  return sizeof(T) < sizeof(double) && !(m.inverse > T(0));
}
/// Returns the moments in double of numbers whose squares overflow T. for_each(use) calls use(x) for this thread's
/// numbers, all(part) sums over threads, and variance becomes the variance in double.
template <class T, class ForEach, class All>
__device__ moments<T> moments_in_double(index_t count, T epsilon, double& variance, const ForEach& for_each,
                                        const All& all) {
  const double n = static_cast<double>(count);
  double sum = 0, squares = 0;
  for_each([&](T x) { sum += static_cast<double>(x); });
  const double mean = all(sum) / n;
  for_each([&](T x) {
    const double d = static_cast<double>(x) - mean;
    squares += d * d;
  });
  variance = all(squares) / n;
  const T centre = centre_near(static_cast<T>(mean));
  return {centre, static_cast<T>(mean - static_cast<double>(centre)), static_cast<T>(variance),
          static_cast<T>(1.0 / sqrt(variance + static_cast<double>(epsilon)))};
}

/// Returns ((x − centre) − rest)·scale + shift, with the same rounding in every kernel.
template <class T>
__device__ T normalised(T x, T centre, T rest, T scale, T shift) {
  return fma(x - centre - rest, scale, shift);
}
/// Returns x·scale + shift with scale = gamma / √(variance + ε) and shift = beta − mean·scale, with the same rounding
/// in every kernel.
template <class T>
__device__ T normalised_by(T x, T gamma, T beta, T mean, T variance, T epsilon) {
  const T scale = gamma * (T(1) / sqrt(variance + epsilon));
  return fma(x, scale, fma(-mean, scale, beta));
}
/// Returns gamma·inverse·(dy − dbeta·share − (x − mean)·inverse·dgamma·share), with the same rounding in every kernel.
template <class T>
__device__ T normalised_backward(T x, T dy, T gamma, T mean, T inverse, T dgamma, T dbeta, T share) {
  const T slope = dgamma * inverse * share;
  return gamma * inverse * fma(mean - x, slope, fma(-dbeta, share, dy));
}

}  // namespace ridgepoint_device

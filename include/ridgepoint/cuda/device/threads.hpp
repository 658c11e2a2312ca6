// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Device code, for NVRTC, for nvcc, and for the host compiler in the emulator of the tests. It uses no standard
/// library, no macros and no warp intrinsics.
namespace ridgepoint_device {

/// ridgepoint::bfloat16: the upper 16 bits of a float, for storage only. Reading converts to float; writing rounds
/// once, to nearest, ties to even; a NaN stays a NaN. Nothing is accumulated in it.
struct bfloat16 {
  unsigned short bits;

  bfloat16() = default;
  __device__ bfloat16(float x) {
    const unsigned u = __builtin_bit_cast(unsigned, x), rounded = u + 0x7FFFU + (u >> 16 & 1U);
    bits = static_cast<unsigned short>(x == x ? rounded >> 16 : u >> 16 | 0x40U);
  }
  __device__ operator float() const { return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16); }
};

/// ridgepoint::float16: IEEE 754 binary16, for storage only. Reading converts to float; writing rounds once, to
/// nearest, ties to even; a NaN stays a NaN. Nothing is accumulated in it.
struct float16 {
  unsigned short bits;

  float16() = default;
  __device__ float16(float x) {
    const unsigned u = __builtin_bit_cast(unsigned, x), size = u & 0x7FFFFFFFU;
    unsigned rounded = (size + 0xFFFU + (size >> 13 & 1U) - 0x38000000U) >> 13;
    if (size < 0x38800000U)  // a denormal: floats from 1/2 on are multiples of 2⁻²⁴
      rounded = __builtin_bit_cast(unsigned, __builtin_bit_cast(float, size) + 0.5F) - 0x3F000000U;
    if (size >= 0x47800000U) rounded = 0x7C00U;
    if (x != x) rounded = 0x7E00U | (size >> 13 & 0x3FFU);
    bits = static_cast<unsigned short>((u >> 16 & 0x8000U) | rounded);
  }
  __device__ operator float() const {
    const unsigned size = bits & 0x7FFFU, sign = (bits & 0x8000U) << 16;
    if (size >= 0x7C00U) return __builtin_bit_cast(float, sign | 0x7F800000U | (size & 0x3FFU) << 13);
    const float moved = __builtin_bit_cast(float, size << 13) * 0x1p112F;  // exact, also for a denormal
    return __builtin_bit_cast(float, sign | __builtin_bit_cast(unsigned, moved));
  }
};

/// The type in which kernels compute elements T: ridgepoint::compute_t.
template <class T>
struct computed_in {
  using type = T;
};
template <>
struct computed_in<bfloat16> {
  using type = float;
};
template <>
struct computed_in<float16> {
  using type = float;
};
template <class T>
using number = typename computed_in<T>::type;

using index_t = long;  // as on the host: 64 bits, signed

/// Returns the first element of a grid-stride loop for this thread: first, first + stride, …
__device__ inline index_t first_element() { return static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline index_t element_stride() { return static_cast<index_t>(gridDim.x) * blockDim.x; }

/// Infinity, for which NVRTC has no name.
__device__ inline double infinity() { return -log(0.0); }

/// Threads of a block that works on one row or reduces: kernels that sum within a block are launched with this many or
/// fewer.
constexpr unsigned block_threads = 256;

/// Combines one value per thread of a block by both(a, b), in tree order, and returns the result to all threads. All
/// threads must call it.
template <class Number, class Both>
__device__ Number folded_in_block(Number mine, const Both& both) {
  __shared__ Number parts[block_threads];
  const unsigned i = threadIdx.x;
  parts[i] = mine;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (i < half) parts[i] = both(parts[i], parts[i + half]);
    __syncthreads();
  }
  const Number folded = parts[0];
  __syncthreads();
  return folded;
}
/// Returns the sum of one value per thread of a block.
template <class Number>
__device__ Number sum_of_block(Number mine) {
  return folded_in_block(mine, [](Number a, Number b) { return a + b; });
}

/// Upper bound of dividends that use the multiplication.
constexpr index_t small_numbers = index_t{1} << 31;

/// A divisor that is shared by all elements: see ridgepoint::detail::divisor. Dividends are not negative. Below 2³¹,
/// the quotient is the upper bits of a product, 2 instructions; a 32-bit division takes about 20, a 64-bit division
/// more than twice as many.
struct divisor {
  index_t value;
  unsigned factor, shift;

  __device__ operator index_t() const { return value; }
  /// Returns ⌊n / value⌋. Requires: n < small_numbers.
  __device__ unsigned quotient_of_small(unsigned n) const {
    return static_cast<unsigned>(static_cast<unsigned long>(n) * factor >> shift);
  }
};
__device__ inline index_t operator/(index_t n, const divisor& d) {
  return n < small_numbers ? static_cast<index_t>(d.quotient_of_small(static_cast<unsigned>(n))) : n / d.value;
}
__device__ inline index_t operator%(index_t n, const divisor& d) { return n - n / d * d.value; }

/// A quotient and its remainder.
struct division {
  index_t quotient, rest;
};
__device__ inline division divide(index_t n, const divisor& d) {
  if (n >= small_numbers) return {n / d.value, n % d.value};
  const auto small = static_cast<unsigned>(n), quotient = d.quotient_of_small(small);
  return {static_cast<index_t>(quotient), static_cast<index_t>(small - quotient * static_cast<unsigned>(d.value))};
}

__device__ inline double highest(double a, double b) { return b > a ? b : a; }

/// Returns the maximum over the threads of a block, ignoring NaN, to all of them.
__device__ inline double max_of_block(double mine) {
  return folded_in_block(mine, [](double a, double b) { return highest(a, b); });
}

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

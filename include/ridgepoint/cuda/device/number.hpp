// SPDX-License-Identifier: MIT
#pragma once

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

}  // namespace ridgepoint_device

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

}  // namespace ridgepoint_device

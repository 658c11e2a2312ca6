// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

/// An instruction set as kernels see it. One translation unit is built for exactly one: `native`.
///
/// A new one is a struct here, a file in simd/isa/, and a line of flags in cmake/isa.cmake.
namespace isa {
struct scalar {  // nothing but IEEE scalars
  static constexpr std::string_view name = "scalar";
  static constexpr int registers = 16, width_bytes = 0;
  static constexpr bool fma = false;
};
struct sse4_2 {
  static constexpr std::string_view name = "sse4_2";
  static constexpr int registers = 16, width_bytes = 16;
  static constexpr bool fma = false;
};
struct avx {
  static constexpr std::string_view name = "avx";
  static constexpr int registers = 16, width_bytes = 32;
  static constexpr bool fma = false;
};
struct avx_fma {
  static constexpr std::string_view name = "avx_fma";
  static constexpr int registers = 16, width_bytes = 32;
  static constexpr bool fma = true;
};
struct avx2 {  // with FMA
  static constexpr std::string_view name = "avx2";
  static constexpr int registers = 16, width_bytes = 32;
  static constexpr bool fma = true;
};
struct avx512 {  // F, CD, DQ, BW, VL
  static constexpr std::string_view name = "avx512";
  static constexpr int registers = 32, width_bytes = 64;
  static constexpr bool fma = true;
};
}  // namespace isa

/// All of them, weakest first.
inline constexpr std::array<std::string_view, 6> isa_names{isa::scalar::name,  isa::sse4_2::name, isa::avx::name,
                                                           isa::avx_fma::name, isa::avx2::name,   isa::avx512::name};

/// The instruction set of this translation unit, from the compiler's own macros.
using native = isa::RIDGEPOINT_ISA;

/// Values of type T in one register.
template <class T>
inline constexpr int lanes = native::width_bytes == 0 ? 1 : native::width_bytes / static_cast<int>(sizeof(T));

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd

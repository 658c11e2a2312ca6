// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

namespace isa = ridgepoint::isa;

/// The instruction set of this translation unit's kernels.
using native = isa::RIDGEPOINT_ISA;

/// The names of all known instruction sets (core/isa.hpp), weakest first.
inline constexpr auto isa_names = []<class... Isa>(isa::list<Isa...>) {
  return std::array<std::string_view, sizeof...(Isa)>{Isa::name...};
}(isa::all{});

/// The number of values of type T in one register.
template <class T>
inline constexpr int lanes = native::width_bytes == 0 ? 1 : native::width_bytes / static_cast<int>(sizeof(T));

/// Returns the next line of a matrix, its address computed on demand: GCC 12 would compute the addresses of all lines
/// of an unrolled loop in advance, and spill them.
template <class T>
RIDGEPOINT_INLINE T* next_line(T* line, index_t ld) noexcept {
  line += ld;
  asm("" : "+r"(line));
  return line;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd

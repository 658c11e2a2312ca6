// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include <ridgepoint/core/config.hpp>

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd

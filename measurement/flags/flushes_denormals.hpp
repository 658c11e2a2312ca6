// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace measurement {

/// Returns true if a program sets FTZ and DAZ before main(): linked with -ffast-math, -Ofast or
/// -funsafe-math-optimizations it contains GCC's crtfastmath.o with the function set_fast_math. Cannot detect this in
/// a program without symbols.
inline bool flushes_denormals(std::string_view file) {
  constexpr std::string_view name{"\0set_fast_math\0", 15};
  return file.find(name) != std::string_view::npos;
}

}  // namespace measurement

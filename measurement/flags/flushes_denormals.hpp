// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace measurement {

/// Whether a program sets FTZ and DAZ before main(): linked with -ffast-math, -Ofast or -funsafe-math-optimizations it
/// has GCC's crtfastmath.o, whose function is called so. A program without symbols does not tell.
inline bool flushes_denormals(std::string_view file) {
  constexpr std::string_view name{"\0set_fast_math\0", 15};
  return file.find(name) != std::string_view::npos;
}

}  // namespace measurement

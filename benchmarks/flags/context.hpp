// SPDX-License-Identifier: MIT
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>

#include <ridgepoint/roofline/environment.hpp>
#include <ridgepoint/simd/isa.hpp>

namespace flags {

/// Adds this build and process to the context of the results: flags from the compiler's predefined macros, and MXCSR,
/// in which crtfastmath.o, linked by -ffast-math, makes subnormals flush to zero.
inline void add_context() {
  const auto say = [](const char* key, const auto& value) {
    benchmark::AddCustomContext(key, ridgepoint::concat(value));
  };
  char mxcsr[16];
  std::snprintf(mxcsr, sizeof mxcsr, "0x%04x", ridgepoint::float_control());
  say("mxcsr", mxcsr);
  say("compiler", ridgepoint::detail::compiler_name());
  say("ridgepoint_version", RIDGEPOINT_VERSION_STRING);
  say("isa", ridgepoint::simd::native::name);
  say("vector_bits", ridgepoint::simd::native::width_bytes * 8);
  const auto say_whether = [&](const char* key, int defined) { say(key, defined != 0 ? "true" : "false"); };
#if defined(__OPTIMIZE__)
  say_whether("optimize", 1);
#else
  say_whether("optimize", 0);
#endif
#if defined(__OPTIMIZE_SIZE__)
  say_whether("optimize_size", 1);
#else
  say_whether("optimize_size", 0);
#endif
#if defined(__FAST_MATH__)
  say_whether("fast_math", 1);
#else
  say_whether("fast_math", 0);
#endif
  say_whether("finite_math_only", __FINITE_MATH_ONLY__);
#if defined(__FMA__)
  say_whether("fma", 1);
#else
  say_whether("fma", 0);
#endif
}

}  // namespace flags

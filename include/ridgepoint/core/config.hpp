// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The only header that defines macros, except for RIDGEPOINT_ISA (core/isa.hpp).
///
/// RIDGEPOINT_ABI names the inline namespace of everything: v0_, the instruction set as one of the classes below,
/// _fast_math under -ffast-math or _finite_math under -ffinite-math-only alone. Both follow the compiler's own macros,
/// so two translation units that differ in one of them never share a symbol of ridgepoint: an AVX-512 copy of one of
/// its inline functions cannot end up in a program path meant for an older CPU. Templates of the standard library
/// have one name whatever the flags: a program of several instruction sets seals its copies (docs/design.md). Other
/// flags (-O3, -march beyond the class, -fopenmp, NDEBUG) do not count.

// Compiler requirements. The include of a missing file ends the compilation; an #error alone would not.
#if (defined(__clang__) && __clang_major__ < 14) || (!defined(__clang__) && defined(__GNUC__) && __GNUC__ < 12)
#error "ridgepoint needs GCC 12 or Clang 14, and this compiler is older: compile with one of them or a newer one"
#include <ridgepoint_needs_a_newer_compiler>
#elif __cplusplus < 202002L
#error "ridgepoint is C++20; this file is compiled for an older standard: compile it with -std=c++20 or newer"
#include <ridgepoint_needs_cxx20>
#elif !defined(__cpp_exceptions)
#error "ridgepoint reports errors as exceptions; they are off here: compile without -fno-exceptions"
#include <ridgepoint_needs_exceptions>
#endif

#define RIDGEPOINT_VERSION_MAJOR 0
#define RIDGEPOINT_VERSION_MINOR 1
#define RIDGEPOINT_VERSION_PATCH 0
#define RIDGEPOINT_VERSION_STRING "0.1.0"
#define RIDGEPOINT_VERSION \
  (RIDGEPOINT_VERSION_MAJOR * 10000 + RIDGEPOINT_VERSION_MINOR * 100 + RIDGEPOINT_VERSION_PATCH)

#if defined(RIDGEPOINT_FORCE_SCALAR) && defined(__SSE4_2__)
#error "RIDGEPOINT_FORCE_SCALAR is for code without vector instructions beyond SSE2: compile it with -march=x86-64"
#endif
#include <ridgepoint/core/isa.hpp>
// A flag that breaks a guarantee and sets a macro: docs/flag_promises.md. Not an error, also with -Werror.
#if __FINITE_MATH_ONLY__ && !defined(RIDGEPOINT_FINITE_MATH)
#pragma message("ridgepoint: NaN and infinity may get lost; see -ffinite-math-only, -DRIDGEPOINT_FINITE_MATH")
// The macro asserts that data has neither and silences this; -fno-finite-math-only makes it unnecessary.
#endif
#define RIDGEPOINT_ISA_HEADER <ridgepoint/simd/isa/RIDGEPOINT_ISA.hpp>

#define RIDGEPOINT_DETAIL_JOIN2(a, b, c) a##b##c
#define RIDGEPOINT_DETAIL_JOIN(a, b, c) RIDGEPOINT_DETAIL_JOIN2(a, b, c)
#if defined(__FAST_MATH__)
#define RIDGEPOINT_DETAIL_MATH _fast_math
#elif __FINITE_MATH_ONLY__
#define RIDGEPOINT_DETAIL_MATH _finite_math
#else
#define RIDGEPOINT_DETAIL_MATH
#endif
#define RIDGEPOINT_ABI RIDGEPOINT_DETAIL_JOIN(v0_, RIDGEPOINT_ISA, RIDGEPOINT_DETAIL_MATH)

/// RIDGEPOINT_COMPILED is 1 where the archive ridgepoint::dispatch provides layers, plans and tables, so that this
/// translation unit need not compile them; programs behave the same with and without. The CMake target and the
/// pkg-config module define RIDGEPOINT_WITH_DISPATCH. The archive has one copy, for the baseline: a translation unit
/// with vector flags (-march=native), -ffast-math or -ffinite-math-only, or with another ABI of the standard library,
/// compiles its own.
#if defined(RIDGEPOINT_WITH_DISPATCH) && !defined(__SSE4_2__) && !defined(__FAST_MATH__) && !__FINITE_MATH_ONLY__ && \
    !defined(_GLIBCXX_DEBUG) && (!defined(_GLIBCXX_USE_CXX11_ABI) || _GLIBCXX_USE_CXX11_ABI)
#define RIDGEPOINT_COMPILED 1
#else
#define RIDGEPOINT_COMPILED 0
#endif
/// Precedes the definition of a function declared in NAME.hpp and defined in NAME-inl.hpp. NAME.hpp includes
/// NAME-inl.hpp at its end unless RIDGEPOINT_COMPILED: a program needs no other header. With the archive, only its
/// sources include NAME-inl.hpp.
#if RIDGEPOINT_COMPILED
#define RIDGEPOINT_DEFINITION
#else
#define RIDGEPOINT_DEFINITION inline
#endif
/// Precedes an explicit instantiation under RIDGEPOINT_COMPILED and makes it a declaration, except in
/// compiled_unit.cpp, which defines RIDGEPOINT_DISPATCH_SOURCE and holds the instantiation.
#if defined(RIDGEPOINT_DISPATCH_SOURCE)
#define RIDGEPOINT_EXTERN
#else
#define RIDGEPOINT_EXTERN extern
#endif

/// RIDGEPOINT_WITH_KERNELS is 0 in the archive's source of the code above the watershed (docs/design.md), which is
/// compiled once for all instruction sets: headers declare kernels there but do not define them.
#if defined(RIDGEPOINT_DISPATCH_OPS)
#define RIDGEPOINT_WITH_KERNELS 0
#else
#define RIDGEPOINT_WITH_KERNELS 1
#endif

/// Appends the instruction set of this translation unit to `name`: RIDGEPOINT_ISA_SYMBOL(kernels) is kernels_avx2 under
/// -mavx2 -mfma. For the extern "C" function of a source that ridgepoint_add_isa_variants() compiles per instruction
/// set.
#define RIDGEPOINT_ISA_SYMBOL(name) RIDGEPOINT_DETAIL_JOIN(name, _, RIDGEPOINT_ISA)

/// Unrolls an inner loop of a kernel: without it GCC 12 at -O3 keeps the accumulators of a register tile in memory.
#if defined(__clang__)
#define RIDGEPOINT_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RIDGEPOINT_UNROLL _Pragma("GCC unroll 64")
#endif
/// Keeps a short loop rolled: unrolled, its loop-invariant values would be kept on the stack.
#if defined(__clang__)
#define RIDGEPOINT_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define RIDGEPOINT_ROLLED _Pragma("GCC unroll 1")
#endif
/// Unrolls the depth loop of the register tile, where two-operand SSE needs every issue slot for arithmetic. One core
/// of a Zen 3 with a peak of 52 GFLOP/s, f32 tile of 6x8 in L1: GCC 12 reaches 43 without and 47 with it; Clang 14
/// reaches 38 either way, but when it unrolls it moves accumulators to the stack.
#if defined(__AVX__) || !defined(__SSE4_2__) || defined(__clang__)
#define RIDGEPOINT_UNROLL_DEPTH
#else
#define RIDGEPOINT_UNROLL_DEPTH _Pragma("GCC unroll 4")
#endif
#define RIDGEPOINT_INLINE inline __attribute__((always_inline))
#define RIDGEPOINT_INLINE_LAMBDA __attribute__((always_inline))
#define RIDGEPOINT_NOINLINE __attribute__((noinline))
#define RIDGEPOINT_FLATTEN __attribute__((flatten))
/// Marks a function that takes function pointers: never inlined, nor cloned by GCC for one of these pointers.
#if defined(__clang__)
#define RIDGEPOINT_ONE_COPY __attribute__((noinline))
#else
#define RIDGEPOINT_ONE_COPY __attribute__((noinline, noclone))
#endif

/// Marks a function that calls another copy of the library through a pointer. Argument types are in another namespace
/// there, with the same layout; Clang's UndefinedBehaviorSanitizer compares their names.
#if defined(__clang__)
#define RIDGEPOINT_CALLS_ANOTHER_COPY __attribute__((no_sanitize("function")))
#else
#define RIDGEPOINT_CALLS_ANOTHER_COPY
#endif

/// Checks ridgepoint's own invariants inside kernels; enabled in debug and sanitizer builds.
#if defined(RIDGEPOINT_ENABLE_ASSERT) || !defined(NDEBUG)
#define RIDGEPOINT_ASSERT(condition) ((condition) ? void() : __builtin_trap())
#else
#define RIDGEPOINT_ASSERT(condition) void()
#endif

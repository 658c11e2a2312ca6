// SPDX-License-Identifier: MIT
#pragma once

/// Whether the tests of the CPU backend compile its kernels from the headers, as a program with rp::native_cpu does.
/// Those that do not find shipped/support/kernels_under_test.hpp before this header, and run what ridgepoint::dispatch
/// brings for their instruction set.
inline constexpr bool compiles_kernels = true;

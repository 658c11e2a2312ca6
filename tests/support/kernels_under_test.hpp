// SPDX-License-Identifier: MIT
#pragma once

/// True if the tests of the CPU backend compile its kernels from the headers, as a program with rp::native_cpu does.
/// Other tests find shipped/support/kernels_under_test.hpp before this header, and run the kernels that
/// ridgepoint::dispatch has for their instruction set.
inline constexpr bool compiles_kernels = true;

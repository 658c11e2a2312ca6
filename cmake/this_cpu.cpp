// SPDX-License-Identifier: MIT
// Prints the instruction sets that this CPU runs, weakest first (cmake/this_cpu.cmake).
#include <cstdio>

#include <ridgepoint/simd/cpuid.hpp>

int main() { std::puts(ridgepoint::simd::cpu_isas().c_str()); }

// SPDX-License-Identifier: MIT
// isa_run <isa> <program> [args…]: runs the program if this CPU has the instruction set, else exits 77: skipped.
// Built with baseline flags: a program for a newer CPU may fault before its own main() can check.
#include <unistd.h>

#include <cstdio>

#include <ridgepoint/simd/cpuid.hpp>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: isa_run <isa> <program> [args...]\n", stderr);
    return 2;
  }
  if (!ridgepoint::simd::cpu_runs(argv[1])) {
    std::printf("SKIPPED: this CPU has no %s; it runs %s\n", argv[1], ridgepoint::simd::cpu_isas().c_str());
    return 77;
  }
  execv(argv[2], argv + 2);
  std::perror(argv[2]);
  return 2;
}

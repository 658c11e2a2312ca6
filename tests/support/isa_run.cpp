// SPDX-License-Identifier: MIT
// isa_run <isa> <program> [args…]: runs the program if this CPU has the instruction set, else exits 77 (ctest: skipped).
// Built with baseline flags, because a program for a newer CPU may fault before its own main() could look.
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace {
bool has(const char* isa) {
  if (std::strcmp(isa, "scalar") == 0) return true;
  if (std::strcmp(isa, "sse4_2") == 0) return __builtin_cpu_supports("sse4.2");
  if (std::strcmp(isa, "avx") == 0) return __builtin_cpu_supports("avx");
  if (std::strcmp(isa, "avx_fma") == 0) return __builtin_cpu_supports("avx") && __builtin_cpu_supports("fma");
  if (std::strcmp(isa, "avx2") == 0) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (std::strcmp(isa, "avx512") == 0)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return false;
}
}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: isa_run <isa> <program> [args...]\n", stderr);
    return 2;
  }
  if (!has(argv[1])) {
    std::printf("SKIPPED: this CPU has no %s\n", argv[1]);
    return 77;
  }
  execv(argv[2], argv + 2);
  std::perror(argv[2]);
  return 2;
}

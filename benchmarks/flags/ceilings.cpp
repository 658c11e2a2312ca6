// SPDX-License-Identifier: MIT
// The ceilings that `ridgepoint flags` reports for each set of flags: the f32 flop/s of one core and its memory
// bandwidth, in a program compiled with them. Prints {"flop_per_s": …, "bytes_per_s": …}.
#include <algorithm>
#include <array>
#include <cstdio>

#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/cpu/probe_ops.hpp>
#include <ridgepoint/roofline/measure.hpp>

namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

/// Returns the flop/s of plain arithmetic on the compiler's widest vectors: x ← x·a + b in 12 chains. Covers flags
/// for which the library has no instruction set: -march=x86-64 with SSE2, or -ffp-contract=off.
[[nodiscard]] double peak_of_compiler() {
  typedef float vector __attribute__((vector_size(vector_bytes)));
  constexpr int chains = 12, steps = 1000;
  std::array<vector, chains> x{};
  float factor = 0.5F, summand = 1;
  const auto run = [&] {
    asm volatile("" : "+m"(factor), "+m"(summand));
    const vector a = factor - vector{}, b = summand - vector{};
    std::array<vector, chains> y = x;
    for (int step = 0; step < steps; ++step)
      for (vector& chain : y) chain = chain * a + b;
    x = y;
    asm volatile("" : : "m"(x));
  };
  const double elapsed_s = ridgepoint::measure(run, {.budget_s = 0.2}).seconds.min;
  return 2.0 * chains * steps * (vector_bytes / sizeof(float)) / elapsed_s;
}

/// The CPU with the instruction set of the flags: probe() measures its ceilings instead of the strongest set's.
struct as_compiled : ridgepoint::native_cpu {
  using native_cpu::native_cpu;
};
as_compiled strongest(const as_compiled& on) { return on; }

}  // namespace

int main() {
  const ridgepoint::machine here = ridgepoint::probe(as_compiled(1), {.rounds = 10, .budget_s = 2});
  const ridgepoint::ceiling* const peak = here.peak({.dtype = "f32", .threads = 1});
  const ridgepoint::ceiling* const memory = here.bandwidth(here.levels().back(), {.threads = 1});
  std::printf("{\"flop_per_s\": %.6g, \"bytes_per_s\": %.6g}\n", std::max(peak->per_s, peak_of_compiler()),
              memory->per_s);
}

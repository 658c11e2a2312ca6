// SPDX-License-Identifier: MIT
// Prints the effect of this program's flags on floating point: one line per column of the table in
// docs/flag_promises.md. Compares bits. Its own loops represent a user's code and contain the planted faults.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ridgepoint/cpu/elementwise.hpp>
#include <ridgepoint/cpu/native_cpu.hpp>

namespace rp = ridgepoint;

namespace {

constexpr int count = 1000;
using floats = std::vector<float>;

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
/// Hides the value from the compiler.
float from_bits(std::uint32_t b) {
  volatile std::uint32_t hidden = b;
  return std::bit_cast<float>(std::uint32_t{hidden});
}
/// Values whose sums and products are never exact.
floats thirds() {
  floats x;
  for (int i = 1; i <= count; ++i) x.push_back(from_bits(0x3EAAAAAB + static_cast<std::uint32_t>(i * 7919)));
  return x;
}
void say(const char* column, const char* finding) { std::printf("%s: %s\n", column, finding); }
const char* kept(bool ok) { return ok ? "kept" : "lost"; }
const char* same(bool ok) { return ok ? "same" : "changed"; }

RIDGEPOINT_NOINLINE int count_nan(const floats& x) {
  int found = 0;
  for (const float e : x) found += e != e ? 1 : 0;
  return found;
}
RIDGEPOINT_NOINLINE float sum(const floats& x) {
  float total = 0;
  for (const float e : x) total += e;
  return total;
}
/// Sums with each addition rounded separately.
float strict_sum(const floats& x) {
  volatile float total = 0;
  for (const float e : x) total = total + e;
  return total;
}
RIDGEPOINT_NOINLINE float product_less(float x, float y, float less) { return x * y - less; }
RIDGEPOINT_NOINLINE void divide(floats& x, float by) {
  for (float& e : x) e = e / by;
}
RIDGEPOINT_NOINLINE float plus_zero(float x) { return x + 0.0F; }

bool divides_strictly(float by) {
  floats x = thirds();
  divide(x, by);
  const floats all = thirds();
  for (std::size_t i = 0; i < x.size(); ++i) {
    volatile float e = all[i], d = by;
    if (bits(x[i]) != bits(e / d)) return false;
  }
  return true;
}

/// Returns whether f in this build's kernels preserves a NaN among other values, in any lane.
bool keeps_nan(rp::activation f) {
  for (const std::size_t at : {0, 3, 37, 40}) {
    floats x(41, 0.5F), y(41);
    x[at] = from_bits(0x7FC00000);
    rp::activate(rp::native_cpu(1), f, x, y);
    for (std::size_t i = 0; i < y.size(); ++i)
      if (((bits(y[i]) & 0x7FFFFFFF) > 0x7F800000) != (i == at)) return false;
  }
  return true;
}
std::uint64_t digest_of_kernels() {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const rp::activation f : {rp::activation::tanh, rp::activation::sigmoid, rp::activation::gelu}) {
    floats x = thirds(), y(x.size());
    rp::activate(rp::native_cpu(1), f, x, y);
    for (const float e : y) hash = (hash ^ bits(e)) * 0x100000001B3;
  }
  return hash;
}

}  // namespace

int main() {
  floats x = thirds();
  x[7] = from_bits(0x7FC00000);
  say("NaN in a loop", kept(count_nan(x) == 1));
  bool kernels = true;
  for (const rp::activation f : {rp::activation::relu, rp::activation::tanh, rp::activation::sigmoid})
    kernels = kernels && keeps_nan(f);
  say("NaN in kernels", kept(kernels));
  volatile float one = 1;
  say("subnormals", kept(bits(from_bits(1 << 19) * one) == 1 << 19));
  say("order of a sum", same(bits(sum(thirds())) == bits(strict_sum(thirds()))));
  const float y = thirds()[1];
  volatile float product = y * y;
  say("product and sum", same(bits(product_less(y, y, product)) == 0));
  say("quotient", same(divides_strictly(from_bits(0x40400000))));
  say("sign of zero", kept(bits(plus_zero(from_bits(0x80000000))) == 0));
  std::printf("kernels: %016llx\n", static_cast<unsigned long long>(digest_of_kernels()));
}

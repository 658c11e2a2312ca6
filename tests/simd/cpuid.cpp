// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/simd/cpuid.hpp>

namespace simd = ridgepoint::simd;

namespace {
// CPUID words of an AVX-512 server: SSE4.2, POPCNT, FMA, OSXSAVE, AVX, F16C; AVX2, BMI2, AVX-512 F DQ CD BW VL; all
// state saved.
constexpr simd::cpuid_words server{
    .leaf1_ecx = (1U << 12) | (1U << 20) | (1U << 23) | (1U << 27) | (1U << 28) | (1U << 29),
    .leaf7_ebx = (1U << 5) | (1U << 8) | (1U << 16) | (1U << 17) | (1U << 28) | (1U << 30) | (1U << 31),
    .xcr0 = 0xe7};
}  // namespace

TEST_CASE("the probe agrees with the compiler's builtins") {
  CHECK(simd::cpu_runs("scalar"));
  CHECK(simd::cpu_runs("sse4_2") == (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt")));
  CHECK(simd::cpu_runs("avx") == static_cast<bool>(__builtin_cpu_supports("avx")));
  CHECK(simd::cpu_runs("avx_fma") == (__builtin_cpu_supports("avx") && __builtin_cpu_supports("fma")));
  CHECK(simd::cpu_runs("avx2") ==
        (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")));
  CHECK(simd::cpu_runs("avx512") == (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                                     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                                     __builtin_cpu_supports("avx512vl")));
}

TEST_CASE("this CPU supports the instruction set of this program") {
  CHECK(simd::cpu_runs(simd::native::name));
  CHECK(simd::cpu_isas().find(simd::native::name) != std::string::npos);
  CHECK(simd::cpu_isas().starts_with("scalar"));
}

TEST_CASE("an instruction set is supported if CPU and operating system have all of it") {
  for (const auto isa : simd::isa_names) CHECK(simd::runs(server, isa));
  CHECK_FALSE(simd::runs(server, "sse9"));
  CHECK_FALSE(simd::runs(server, ""));
}

TEST_CASE("an instruction set whose registers the operating system does not save is not supported") {
  simd::cpuid_words no_zmm = server;
  no_zmm.xcr0 = 0x7;
  CHECK(simd::runs(no_zmm, "avx2"));
  CHECK_FALSE(simd::runs(no_zmm, "avx512"));
  simd::cpuid_words no_ymm = server;
  no_ymm.xcr0 = 0x3;
  CHECK(simd::runs(no_ymm, "sse4_2"));
  CHECK_FALSE(simd::runs(no_ymm, "avx"));
  CHECK_FALSE(simd::runs(no_ymm, "avx512"));
}

TEST_CASE("a missing feature bit removes its instruction set and all above") {
  const auto without = [](std::uint32_t simd::cpuid_words::*word, int bit) {
    simd::cpuid_words words = server;
    words.*word &= ~(1U << bit);
    int count = 0;
    for (const auto isa : simd::isa_names) count += simd::runs(words, isa) ? 1 : 0;
    return count;
  };
  CHECK(without(&simd::cpuid_words::leaf1_ecx, 20) == 1);  // no SSE4.2: scalar
  CHECK(without(&simd::cpuid_words::leaf1_ecx, 28) == 2);  // no AVX
  CHECK(without(&simd::cpuid_words::leaf1_ecx, 12) == 3);  // no FMA
  CHECK(without(&simd::cpuid_words::leaf7_ebx, 5) == 4);   // no AVX2
  for (const int bit : {16, 17, 28, 30, 31}) CHECK(without(&simd::cpuid_words::leaf7_ebx, bit) == 5);
  CHECK(simd::runs({}, "scalar"));
}

TEST_CASE("the speed of bfloat16 products follows from the CPU vendor, and is none without their feature bit") {
  using simd::bfloat16_speed;
  constexpr std::uint32_t bit = 1U << 5, amd = 0x68747541, intel = 0x756e6547;  // "Auth", "Genu"
  CHECK(simd::speed_of_bfloat16(bit, amd) == bfloat16_speed::twice);
  CHECK(simd::speed_of_bfloat16(bit, intel) == bfloat16_speed::half);
  CHECK(simd::speed_of_bfloat16(~bit, amd) == bfloat16_speed::none);
  CHECK(simd::speed_of_bfloat16(0, intel) == bfloat16_speed::none);
  const bool has = simd::cpu_speed_of_bfloat16() != bfloat16_speed::none;
  CHECK(has == (__builtin_cpu_supports("avx512bf16") && simd::cpu_runs("avx512")));
}

TEST_CASE("tiles need both of their feature bits and an operating system that saves them") {
  constexpr std::uint32_t bits = 1U << 22 | 1U << 24;
  constexpr std::uint64_t saved = std::uint64_t{1} << 17 | std::uint64_t{1} << 18;
  CHECK(simd::has_tiles(bits, saved));
  CHECK(!simd::has_tiles(bits & ~(1U << 22), saved));
  CHECK(!simd::has_tiles(bits & ~(1U << 24), saved));
  CHECK(!simd::has_tiles(bits, saved & ~(std::uint64_t{1} << 17)));
  CHECK(!simd::has_tiles(bits, saved & ~(std::uint64_t{1} << 18)));

  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  REQUIRE(__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0);
  const bool here = simd::has_tiles(edx, simd::this_cpuid().xcr0) && simd::cpu_runs("avx512");
  CHECK((simd::cpu_speed_of_bfloat16() == simd::bfloat16_speed::tiles) == here);
}

TEST_CASE("Zen 4 computes FMAs of 512 bits in two halves, other CPUs do not") {
  constexpr std::uint32_t amd = 0x68747541, intel = 0x756e6547;
  constexpr std::uint32_t genoa = 0x00a10f11, turin = 0x00b00f21, emerald_rapids = 0x000c06f2;
  static_assert(simd::halves_zmm(genoa, amd));
  static_assert(!simd::halves_zmm(turin, amd));
  static_assert(!simd::halves_zmm(emerald_rapids, intel));
  static_assert(!simd::halves_zmm(genoa, intel));
}

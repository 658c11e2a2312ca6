// SPDX-License-Identifier: MIT
#include "measurement/flags/hot_loop.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "support/near.hpp"

namespace {

using measurement::hottest_loop;

/// Output of g++ -O3 -mavx2 -mfma for y[i] = a * x[i] + y[i] in a loop over repetitions.
const char* const scaled =
    "    1400:\tmov    %r12,%rsi\n"
    "    1403:\tlea    0x6cb6(%rip),%rcx        # 80c0 <x>\n"
    "    140a:\tlea    0x2caf(%rip),%rax        # 40c0 <y>\n"
    "    1418:\tnopl   0x0(%rax,%rax,1)\n"
    "    1420:\tvmovaps (%rdx),%ymm0\n"
    "    1424:\tvfmadd213ps (%rax),%ymm1,%ymm0\n"
    "    1429:\tadd    $0x20,%rax\n"
    "    142d:\tadd    $0x20,%rdx\n"
    "    1431:\tvmovaps %ymm0,-0x20(%rax)\n"
    "    1436:\tcmp    %rcx,%rax\n"
    "    1439:\tjne    1420 <scale+0x60>\n"
    "    143b:\ttest   %rsi,%rsi\n"
    "    143e:\tjle    1459 <scale+0x99>\n"
    "    1440:\tsub    $0x1,%rsi\n"
    "    1444:\tjne    140a <scale+0x4a>\n"
    "    1446:\tvzeroupper\n"
    "    1449:\tret\n";

/// Output of -O0 for s += x[i]: a jump to the condition, which is after the body, and a jump back from there.
const char* const unoptimised =
    "    11a9:\tmovl   $0x0,-0x8(%rbp)\n"
    "    11b0:\tjmp    11d1 <sum+0x28>\n"
    "    11b2:\tmov    -0x8(%rbp),%eax\n"
    "    11b5:\tcltq\n"
    "    11b7:\tlea    0x0(,%rax,4),%rdx\n"
    "    11bf:\tmovss  (%rdx),%xmm0\n"
    "    11c3:\tmovss  -0x4(%rbp),%xmm1\n"
    "    11c8:\taddss  %xmm1,%xmm0\n"
    "    11cc:\tmovss  %xmm0,-0x4(%rbp)\n"
    "    11cd:\taddl   $0x1,-0x8(%rbp)\n"
    "    11d1:\tcmpl   $0xfff,-0x8(%rbp)\n"
    "    11d8:\tjle    11b2 <sum+0x9>\n"
    "    11da:\tret\n";

/// A loop with a branch inside and a branch out of it, unrolled twice, after a loop that packs.
const char* const branched =
    "    100:\tmovups (%rsi),%xmm0\n"
    "    104:\tmovups %xmm0,(%rdi)\n"
    "    108:\tjne    100 <f>\n"
    "    110:\tmulps  %xmm1,%xmm0\n"
    "    114:\tja     11e <f+0x1e>\n"
    "    118:\taddps  %xmm2,%xmm0\n"
    "    11c:\tjmp    120 <f+0x20>\n"
    "    11e:\tdivps  %xmm2,%xmm0\n"
    "    120:\tmulps  %xmm1,%xmm0\n"
    "    124:\tje     140 <f+0x40>\n"
    "    128:\taddps  %xmm2,%xmm0\n"
    "    12c:\tjmp    110 <f+0x10>\n"
    "    130:\tjmp    118 <f+0x18>\n"
    "    140:\tret\n";

}  // namespace

TEST_CASE("the inner loop of two is the hot one") {
  const auto code = measurement::read_disassembly(scaled, 0x144a);
  const auto loop = hottest_loop(code, {{0x1420, 20}, {0x1424, 5}, {0x1439, 24}, {0x1440, 1}}, 60);
  REQUIRE(loop);
  CHECK(loop->begin == 0x1420);
  CHECK(loop->bytes == 0x143b - 0x1420);
  CHECK(loop->instructions == 7);
  CHECK(loop->floating == 3);
  CHECK(loop->arithmetic == 1);
  CHECK(loop->vector_bits == 256);
  CHECK(loop->fma_share() == near(1.0));
  CHECK(loop->share_of_samples == near(49.0 / 60));
  CHECK(loop->text() == "256 b, 100 % FMA");
}

TEST_CASE("if the inner loop has less than half of the samples, the outer one is hot") {
  const auto code = measurement::read_disassembly(scaled, 0x144a);
  const auto loop = hottest_loop(code, {{0x1420, 20}, {0x1440, 20}}, 40);
  REQUIRE(loop);
  CHECK(loop->begin == 0x140a);
  CHECK(loop->bytes == 0x1446 - 0x140a);
  CHECK(loop->share_of_samples == near(1.0));
}

TEST_CASE("a loop with its condition after the body") {
  const auto code = measurement::read_disassembly(unoptimised, 0x11db);
  const auto loop = hottest_loop(code, {{0x11c8, 20}, {0x11d1, 20}}, 40);
  REQUIRE(loop);
  CHECK(loop->begin == 0x11b2);
  CHECK(loop->instructions == 10);
  CHECK(loop->floating == 4);
  CHECK(loop->text() == "scalar");
}

TEST_CASE("a loop with branches into and out of it") {
  const auto code = measurement::read_disassembly(branched, 0x141);
  const auto loop = hottest_loop(code, {{0x104, 10}, {0x110, 5}, {0x11e, 5}, {0x128, 5}, {0x12d, 5}}, 30);
  REQUIRE(loop);
  CHECK(loop->begin == 0x110);
  CHECK(loop->bytes == 0x130 - 0x110);
  CHECK(loop->instructions == 9);
  CHECK(loop->arithmetic == 5);
  CHECK(loop->text() == "128 b");
  const auto packing = hottest_loop(code, {{0x104, 10}, {0x110, 5}}, 15);
  REQUIRE(packing);
  CHECK(packing->instructions == 3);
  CHECK(packing->arithmetic == 0);
  CHECK(packing->text() == "128 b");
}

TEST_CASE("the width is that of the arithmetic, not of the loads") {
  const auto code = measurement::read_disassembly(
      "  10:\tvmovaps (%rax),%ymm0\n  14:\tvaddss %xmm0,%xmm1,%xmm1\n  18:\tvfmadd231ss %xmm0,%xmm2,%xmm1\n"
      "  1d:\tvmulss %xmm0,%xmm1,%xmm1\n  21:\tjne 10 <f>\n",
      0x23);
  const auto loop = hottest_loop(code, {{0x14, 3}}, 3);
  REQUIRE(loop);
  CHECK(loop->vector_bits == 0);
  CHECK(loop->text() == "scalar, 33 % FMA");
}

TEST_CASE("for mixed widths the widest is reported with its share") {
  const auto code = measurement::read_disassembly(
      "  10:\tvmulps %xmm1,%xmm2,%xmm1\n  14:\tvaddss %xmm1,%xmm0,%xmm0\n  18:\tvmovshdup %xmm1,%xmm1\n"
      "  1c:\tvfmadd231ss %xmm1,%xmm0,%xmm0\n  20:\tjne 10 <f>\n",
      0x22);
  const auto loop = hottest_loop(code, {{0x14, 3}}, 3);
  REQUIRE(loop);
  CHECK(loop->vector_bits == 128);
  CHECK(loop->text() == "128 b in 33 %, 33 % FMA");
}

TEST_CASE("a scalar copied as a full register counts as scalar") {
  const char* const text = "  10:\tmovss (%rax),%xmm0\n  14:\tmovaps %xmm0,%xmm1\n  18:\tjne 10 <f>\n";
  CHECK(hottest_loop(measurement::read_disassembly(text, 0x1A), {{0x14, 3}}, 3)->text() == "scalar");
}

TEST_CASE("a backward jump that is not reachable from its target does not close a loop") {
  // The end of a function, followed by an out-of-line block that jumps back to the end.
  const auto code = measurement::read_disassembly(
      "  f0:\tmulss %xmm1,%xmm0\n  f4:\tje 10e <f+0x1e>\n 106:\taddss %xmm2,%xmm0\n 10a:\tcmp %eax,%edx\n"
      " 10c:\tjne f0 <f>\n 10d:\tret\n 10e:\tdivss %xmm0,%xmm1\n 112:\tjmp 106 <f+0x16>\n",
      0x114);
  const auto loop = hottest_loop(code, {{0x106, 8}, {0x10a, 2}, {0xf0, 1}}, 11);
  REQUIRE(loop);
  CHECK(loop->begin == 0xF0);
  CHECK(loop->instructions == 5);
}

TEST_CASE("of two overlapping loops the smaller one is hot") {
  const auto code = measurement::read_disassembly(
      "  10:\taddps %xmm2,%xmm0\n  18:\tmulss %xmm1,%xmm0\n  1c:\tje 10 <f>\n  1e:\tjne 18 <f+0x8>\n  20:\tret\n",
      0x21);
  const auto loop = hottest_loop(code, {{0x18, 3}}, 3);
  REQUIRE(loop);
  CHECK(loop->begin == 0x18);
  CHECK(loop->instructions == 3);
}

TEST_CASE("a loop around a switch") {
  const char* const text =
      "  10:\tcmp %eax,%edx\n  12:\tjmp *%rax\n  14:\tmulss %xmm1,%xmm0\n  18:\tjmp 24 <f>\n"
      "  1a:\taddss %xmm1,%xmm0\n  24:\tjne 10 <f>\n  26:\tret\n";
  const auto loop = hottest_loop(measurement::read_disassembly(text, 0x27), {{0x14, 3}}, 3);
  REQUIRE(loop);
  CHECK(loop->instructions == 6);
  CHECK(loop->arithmetic == 2);
}

TEST_CASE("without a loop the function is hot, without samples nothing is") {
  const auto code = measurement::read_disassembly("  10:\tadd $0x1,%eax\n  13:\tjmp 14 <f+0x4>\n  14:\tret\n", 0x15);
  const auto whole = hottest_loop(code, {{0x10, 3}}, 0);
  REQUIRE(whole);
  CHECK(whole->bytes == 5);
  CHECK(whole->text() == "no floating point");
  CHECK(whole->share_of_samples == near(1.0));
  CHECK(!hottest_loop(code, {}, 10));
  CHECK(!hottest_loop(code, {{0x0F, 3}, {0x15, 3}}, 6));
  CHECK(!hottest_loop({}, {{0x10, 3}}, 3));
}

TEST_CASE("jumps into the middle of an instruction or out of the function do not close a loop") {
  const auto code = measurement::read_disassembly(
      "  10:\tmulps %xmm0,%xmm1\n  13:\tjmp 11 <f+0x1>\n  15:\tjmp 8 <g>\n  17:\tjmp 17 <f+0x7>\n", 0x19);
  const auto loop = hottest_loop(code, {{0x10, 3}}, 3);
  REQUIRE(loop);
  CHECK(loop->instructions == 4);
}

TEST_CASE("text of hot code in a table") {
  CHECK(measurement::hot_code{}.text() == "-");
  CHECK(measurement::hot_code{.instead = "in libm.so.6"}.text() == "in libm.so.6");
  CHECK(measurement::hot_code{.loop = measurement::hot_loop{.floating = 1, .vector_bits = 512}}.text() == "512 b");
}

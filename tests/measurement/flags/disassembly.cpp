// SPDX-License-Identifier: MIT
#include "measurement/flags/disassembly.hpp"

#include <doctest/doctest.h>

namespace {

const char* const by_gnu =
    "\n./program:     file format elf64-x86-64\n\n\nDisassembly of section .text:\n\n"
    "00000000000013c0 <_ZL5scaleRN9benchmark5StateE>:\n"
    "    13c0:\tvbroadcastss 0xc94(%rip),%ymm1        # 2094 <_IO_stdin_used+0x94>\n"
    "    13c9:\tcs nopw 0x0(%rax,%rax,1)\n"
    "    13d2:\tvmovaps (%rdx),%ymm0\n"
    "    13d6:\tvfmadd213ps (%rax),%ymm1,%ymm0\n"
    "    13db:\tbnd jne 13d2 <_ZL5scaleRN9benchmark5StateE+0x12>\n"
    "    13de:\trep stos %al,%es:(%rdi)\n"
    "\t...\n"
    "    13f0:\tnotrack jmp *%rax\n"
    "    13f3:\tret\n";
const char* const by_llvm =
    "    1424:      \tvfmadd213ps\t(%rax), %ymm1, %ymm0 # ymm0 = (ymm1 * ymm0) + mem\n"
    "    1429:      \tcmpq\t%rcx, %rax\n"
    "    142c:      \tjne\t0x1424 <_ZL5scaleRN9benchmark5StateE+0x60>\n";

}  // namespace

TEST_CASE("instructions of GNU's objdump") {
  const auto code = measurement::read_disassembly(by_gnu, 0x13f4);
  REQUIRE(code.size() == 8);
  CHECK(code[0].address == 0x13c0);
  CHECK(code[0].bytes == 9);
  CHECK(code[0].mnemonic == "vbroadcastss");
  CHECK(code[0].operands == "0xc94(%rip),%ymm1");
  CHECK(code[1].mnemonic == "nopw");
  CHECK(code[4].mnemonic == "jne");
  CHECK(code[4].jump_target() == 0x13d2);
  CHECK(code[5].mnemonic == "stos");
  CHECK(!code[6].jump_target());
  CHECK(code[7].mnemonic == "ret");
  CHECK(!code[6].falls_through());
  CHECK(!code[7].falls_through());
  CHECK(code[4].falls_through());
  CHECK(code[7].bytes == 1);
}

TEST_CASE("instructions of LLVM's objdump") {
  const auto code = measurement::read_disassembly(by_llvm, 0x142e);
  REQUIRE(code.size() == 3);
  CHECK(code[0].operands == "(%rax), %ymm1, %ymm0");
  CHECK(code[2].jump_target() == 0x1424);
  CHECK(code[2].bytes == 2);
}

TEST_CASE("lines outside the range and lines that are not instructions are left out") {
  using measurement::read_disassembly;
  CHECK(read_disassembly("", 10).empty());
  CHECK(read_disassembly("0000000000001000 <main>:\nmain:\n:\tret\n  12\n  12:\n  12: \t\n", 0x1000).empty());
  CHECK(read_disassembly("fffffffffffffffffff:\tret\n", UINT64_MAX).empty());  // not a 64-bit number
  CHECK(read_disassembly("  20:\tret\n", 0x20).empty());
  const auto falling = read_disassembly("  12:\tret\n  12:\tnop\n  10:\tnop\n  13:\tlock", 0x20);
  REQUIRE(falling.size() == 2);
  CHECK(falling[0].bytes == 1);
  CHECK(falling[1].mnemonic == "lock");
  for (const char* operands : {"", "*12(%rax)", "zz", "12,%eax", "12x"})
    CHECK(!measurement::instruction{.mnemonic = "jmp", .operands = operands}.jump_target());
  CHECK(!measurement::instruction{.mnemonic = "call", .operands = "12 <f>"}.jump_target());
}

TEST_CASE("disassembly truncated at any position is readable") {
  const std::string_view whole = by_gnu;
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK(measurement::read_disassembly(whole.substr(0, length), 0x13f4).size() <= 8);
}

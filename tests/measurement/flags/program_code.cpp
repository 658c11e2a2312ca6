// SPDX-License-Identifier: MIT
#include "measurement/flags/program_code.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "measurement/flags/process_maps.hpp"

extern "C" [[gnu::noinline]] int ridgepoint_tests_known_function(int x) { return 3 * x + 1; }

namespace {

std::string whole_file(const char* name) {
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a function of this program is found by name and by address") {
  const std::string file = whole_file("/proc/self/exe");
  const auto maps = measurement::executable_maps(whole_file("/proc/self/maps"));
  const auto here = reinterpret_cast<std::uintptr_t>(&ridgepoint_tests_known_function);
  const measurement::mapped_code* map = measurement::map_at(maps, here);
  REQUIRE(map != nullptr);
  const std::uint64_t offset = here - map->begin + map->offset;
  CHECK(measurement::function_offset(file, "ridgepoint_tests_known_function") == offset);
  CHECK(!measurement::function_offset(file, "ridgepoint_tests_unknown_function"));

  const measurement::program_code code = measurement::read_code(file);
  const auto address = code.address_of(offset);
  REQUIRE(address);
  CHECK(code.offset_of(*address) == offset);
  const auto function = code.function_at(*address + 1);
  REQUIRE(function);
  CHECK(function->begin == *address);
  CHECK(function->end > *address + 1);
  CHECK(function->end < *address + 200);
  CHECK(!code.function_at(0));
  CHECK(!code.function_at(UINT64_MAX));
  CHECK(!code.address_of(UINT64_MAX));
  CHECK(!code.offset_of(UINT64_MAX));
}

TEST_CASE("a file that is not a program has no functions; a damaged program has none out of bounds") {
  std::string file = whole_file("/proc/self/exe");
  CHECK(measurement::read_code("").functions.empty());
  CHECK(measurement::read_code("#!/bin/sh\n").segments.empty());
  for (std::size_t length = 0; length < 3000; length += 7)
    CHECK(measurement::read_code(std::string_view(file).substr(0, length)).functions.empty());
  file.resize(std::min(file.size(), std::size_t{1} << 16));  // its section table is past its end
  CHECK(measurement::read_code(file).functions.size() <= file.size());
  for (std::size_t at = 16; at < 64; ++at) {
    const char was = file[at];
    file[at] = static_cast<char>(~was);
    CHECK(measurement::read_code(file).functions.size() <= file.size());
    file[at] = was;
  }
}

TEST_CASE("addresses differ from offsets; symbols without a size end at the next one, or a page later") {
  Elf64_Ehdr header{};
  std::copy_n(ELFMAG, SELFMAG, header.e_ident);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof header;
  header.e_shnum = 2;
  Elf64_Shdr names{}, symbols{};
  names.sh_offset = sizeof header + 2 * sizeof names;
  symbols.sh_type = SHT_SYMTAB;
  symbols.sh_offset = names.sh_offset + 4;
  symbols.sh_size = 5 * sizeof(Elf64_Sym);
  header.e_phoff = symbols.sh_offset + symbols.sh_size;
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_flags = PF_R | PF_X;
  segment.p_offset = 0x40;
  segment.p_filesz = 0x10;
  segment.p_vaddr = 0x1040;
  const auto text = [](const auto& structure) {
    return std::string(reinterpret_cast<const char*>(&structure), sizeof structure);
  };
  std::string file = text(header) + text(names) + text(symbols) + std::string("\0f\0\0", 4);
  for (const auto& [address, bytes] : {std::pair{0x500, 0}, {0x300, 0}, {0x100, 0}, {0x180, 0x20}, {0x100, 0x10}}) {
    Elf64_Sym symbol{};
    symbol.st_name = 1;
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = 1;
    symbol.st_value = static_cast<std::uint64_t>(address);
    symbol.st_size = static_cast<std::uint64_t>(bytes);
    file += text(symbol);
  }
  file += text(segment);
  const measurement::program_code code = measurement::read_code(file);
  CHECK(code.address_of(0x4F) == 0x104F);
  CHECK(!code.address_of(0x50));
  CHECK(code.offset_of(0x1040) == 0x40);
  CHECK(!code.offset_of(0x103F));
  REQUIRE(code.functions.size() == 4);
  CHECK(code.functions[0].end == 0x110);
  CHECK(code.functions[1].end == 0x1A0);
  CHECK(code.functions[2].end == 0x500);
  CHECK(code.functions[3].end == 0x1500);
  CHECK(!code.function_at(0x1A0));
}

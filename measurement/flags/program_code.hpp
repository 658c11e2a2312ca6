// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "elf_file.hpp"

namespace measurement {

/// Functions of a 64-bit ELF program or library. Positions in the file are offsets; positions in symbols and
/// disassembly are addresses.
struct program_code {
  struct segment {
    std::uint64_t offset = 0, bytes = 0, address = 0;
  };
  struct function {
    std::uint64_t begin = 0, end = 0;  // addresses
  };
  std::vector<segment> segments = {};
  std::vector<function> functions = {};  // in the order of their addresses

  [[nodiscard]] std::optional<std::uint64_t> address_of(std::uint64_t offset) const {
    for (const segment& s : segments)
      if (offset >= s.offset && offset - s.offset < s.bytes) return offset - s.offset + s.address;
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
    for (const segment& s : segments)
      if (address >= s.address && address - s.address < s.bytes) return address - s.address + s.offset;
    return std::nullopt;
  }
  /// Returns the function at an address, or nothing if no symbol covers it.
  [[nodiscard]] std::optional<function> function_at(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(functions, address, {}, &function::begin);
    if (after == functions.begin() || address >= (after - 1)->end) return std::nullopt;
    return *(after - 1);
  }
};

namespace detail {

/// Calls visit(symbol, name) for every function defined in a 64-bit ELF file.
template <class Visit>
void for_each_function(std::string_view file, Visit&& visit) {
  const elf_file elf(file);
  for (std::uint64_t i = 0; i < elf.header().e_shnum; ++i) {
    const Elf64_Shdr table = elf.section(i);
    if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
    const Elf64_Shdr names = elf.section(table.sh_link);
    const std::uint64_t symbols = std::min<std::uint64_t>(table.sh_size, file.size()) / sizeof(Elf64_Sym);
    for (std::uint64_t at = 0; at < symbols; ++at) {
      const auto symbol = at_offset<Elf64_Sym>(file, table.sh_offset + at * sizeof(Elf64_Sym));
      const unsigned type = ELF64_ST_TYPE(symbol.st_info);
      if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) continue;
      const std::uint64_t name = names.sh_offset + symbol.st_name;
      if (name >= file.size()) continue;
      const std::string_view rest = file.substr(name);
      visit(symbol, rest.substr(0, std::min(rest.find('\0'), std::size_t{4096})));
    }
  }
}

}  // namespace detail

/// Returns the executable segments and the functions; empty if the file is not a 64-bit ELF file. A function whose
/// symbol has no size ends where the next one begins, or one page later.
inline program_code read_code(std::string_view file) {
  program_code code;
  detail::for_each_function(file, [&](const Elf64_Sym& symbol, std::string_view) {
    const std::uint64_t most = UINT64_MAX - symbol.st_value;
    code.functions.push_back({.begin = symbol.st_value, .end = symbol.st_value + std::min(symbol.st_size, most)});
  });
  std::ranges::sort(code.functions, [](const auto& a, const auto& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  const auto same_begin = [](const auto& a, const auto& b) { return a.begin == b.begin; };
  code.functions.erase(std::unique(code.functions.begin(), code.functions.end(), same_begin), code.functions.end());
  constexpr std::uint64_t page = 4096;
  for (std::size_t i = 0; i < code.functions.size(); ++i) {
    program_code::function& f = code.functions[i];
    if (f.end > f.begin || f.begin > UINT64_MAX - page) continue;
    f.end = f.begin + page;
    if (i + 1 < code.functions.size()) f.end = std::min(f.end, code.functions[i + 1].begin);
  }
  const elf_file elf(file);
  for (std::uint64_t i = 0; !code.functions.empty() && i < elf.header().e_phnum; ++i) {
    const Elf64_Phdr s = elf.segment(i);
    if (s.p_type == PT_LOAD && (s.p_flags & PF_X) != 0)
      code.segments.push_back({.offset = s.p_offset, .bytes = s.p_filesz, .address = s.p_vaddr});
  }
  return code;
}

/// Returns the file offset of a function, by its mangled name: "_ZN9benchmark5State16StartKeepRunningEv".
inline std::optional<std::uint64_t> function_offset(std::string_view file, std::string_view name) {
  std::optional<std::uint64_t> address;
  detail::for_each_function(file, [&](const Elf64_Sym& symbol, std::string_view called) {
    if (called == name) address = symbol.st_value;
  });
  return address ? read_code(file).offset_of(*address) : std::nullopt;
}

}  // namespace measurement

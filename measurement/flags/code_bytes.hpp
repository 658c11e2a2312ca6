// SPDX-License-Identifier: MIT
#pragma once

#include "elf_file.hpp"

namespace measurement {

/// Returns the size of section .text of a 64-bit ELF program: its code without shared libraries. 0 for other files.
inline std::uint64_t code_bytes(std::string_view file) {
  const elf_file elf(file);
  const Elf64_Shdr names = elf.section(elf.header().e_shstrndx);
  for (std::uint64_t i = 0; i < elf.header().e_shnum; ++i) {
    const Elf64_Shdr one = elf.section(i);
    const std::uint64_t name = names.sh_offset + one.sh_name;
    constexpr std::string_view text{".text\0", 6};
    if (name <= file.size() && file.substr(name).starts_with(text)) return one.sh_size;
  }
  return 0;
}

}  // namespace measurement

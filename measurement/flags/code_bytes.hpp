// SPDX-License-Identifier: MIT
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace measurement {

namespace detail {

/// A structure of a file at an offset; all zero where the file ends before.
template <class T>
T at_offset(std::string_view file, std::uint64_t offset) {
  T read{};
  if (offset <= file.size() && file.size() - offset >= sizeof read)
    std::memcpy(&read, file.data() + offset, sizeof read);
  return read;
}

}  // namespace detail

/// Bytes of the section .text of a 64-bit ELF program: its code, without that of shared libraries. 0 if it is none.
inline std::uint64_t code_bytes(std::string_view file) {
  if (!file.starts_with(ELFMAG) || file.size() <= EI_CLASS || file[EI_CLASS] != ELFCLASS64) return 0;
  const auto header = detail::at_offset<Elf64_Ehdr>(file, 0);
  const auto section = [&](std::uint64_t i) {
    return detail::at_offset<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr names = section(header.e_shstrndx);
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr one = section(i);
    const std::uint64_t name = names.sh_offset + one.sh_name;
    constexpr std::string_view text{".text\0", 6};
    if (name <= file.size() && file.substr(name).starts_with(text)) return one.sh_size;
  }
  return 0;
}

}  // namespace measurement

// SPDX-License-Identifier: MIT
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace measurement {

/// Returns the structure at an offset of a file; all zero if the file ends earlier.
template <class T>
T at_offset(std::string_view file, std::uint64_t offset) {
  T read{};
  if (offset <= file.size() && file.size() - offset >= sizeof read)
    std::memcpy(&read, file.data() + offset, sizeof read);
  return read;
}

/// Headers of a 64-bit ELF file; all zero, with no sections and segments, for other files.
class elf_file {
 public:
  explicit elf_file(std::string_view file) : file_(file) {
    if (file.starts_with(ELFMAG) && file.size() > EI_CLASS && file[EI_CLASS] == ELFCLASS64)
      header_ = at_offset<Elf64_Ehdr>(file, 0);
  }
  [[nodiscard]] const Elf64_Ehdr& header() const { return header_; }
  [[nodiscard]] Elf64_Shdr section(std::uint64_t i) const {
    return at_offset<Elf64_Shdr>(file_, header_.e_shoff + i * sizeof(Elf64_Shdr));
  }
  [[nodiscard]] Elf64_Phdr segment(std::uint64_t i) const {
    return at_offset<Elf64_Phdr>(file_, header_.e_phoff + i * sizeof(Elf64_Phdr));
  }

 private:
  std::string_view file_;
  Elf64_Ehdr header_{};
};

}  // namespace measurement

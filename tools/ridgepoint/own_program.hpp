// SPDX-License-Identifier: MIT
#pragma once

#include <sys/auxv.h>

#include <filesystem>
#include <system_error>

namespace tool {

/// Returns the file of this program, with links resolved; without /proc, the path it was started as. Empty if unknown.
inline std::filesystem::path own_program() {
  std::error_code failure;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (!failure) return program;
  const auto* const started_as = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  program = started_as == nullptr ? std::filesystem::path() : std::filesystem::canonical(started_as, failure);
  return failure ? std::filesystem::path() : program;
}

}  // namespace tool

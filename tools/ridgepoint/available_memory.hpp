// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

namespace tool {

/// Memory that is free or that the system can reclaim, in bytes. 0: unknown.
inline std::uint64_t available_bytes() {
  static const std::string field = "MemAvailable:";
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(field)) return 1024 * std::strtoull(line.c_str() + field.size(), nullptr, 10);
  return 0;
}

}  // namespace tool

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace measurement {

/// Executable range of a process's memory, and its origin.
struct mapped_code {
  std::uint64_t begin = 0, end = 0, offset = 0;  // addresses, and the offset in the file
  std::string file = {};                         // "[vdso]" and similar; "": generated at run time
};

/// Parses the executable ranges of /proc/<pid>/maps, "begin-end r-xp offset device inode   file" a line. Skips other
/// lines.
inline std::vector<mapped_code> executable_maps(const std::string& text) {
  std::vector<mapped_code> maps;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    mapped_code map;
    char dash = '\0';
    std::string rights, device, inode;
    words >> std::hex >> map.begin >> dash >> map.end >> rights >> map.offset >> device >> inode;
    if (!words || dash != '-' || rights.size() != 4 || rights[2] != 'x' || map.begin >= map.end) continue;
    std::getline(words >> std::ws, map.file);
    maps.push_back(std::move(map));
  }
  return maps;
}

/// Returns the range that contains an address, or null.
inline const mapped_code* map_at(const std::vector<mapped_code>& maps, std::uint64_t address) {
  const auto at =
      std::ranges::find_if(maps, [&](const mapped_code& m) { return address >= m.begin && address < m.end; });
  return at == maps.end() ? nullptr : &*at;
}

}  // namespace measurement

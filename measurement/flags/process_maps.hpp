// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace measurement {

/// A range of a process's memory that holds code, and where that comes from.
struct mapped_code {
  std::uint64_t begin = 0, end = 0, offset = 0;  // addresses, and the place in the file
  std::string file = {};                         // "[vdso]" and the like; "" for what was made at run time
};

/// The ranges with code of a text as /proc/<pid>/maps has it, "begin-end r-xp offset device inode   file" a line.
/// Lines that are something else are left out.
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

/// The range that an address lies in; nothing if it is in none of them.
inline const mapped_code* map_at(const std::vector<mapped_code>& maps, std::uint64_t address) {
  const auto at =
      std::ranges::find_if(maps, [&](const mapped_code& m) { return address >= m.begin && address < m.end; });
  return at == maps.end() ? nullptr : &*at;
}

}  // namespace measurement

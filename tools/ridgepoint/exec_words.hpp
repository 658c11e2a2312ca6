// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace tool {

/// Returns the words of a command, or variables, as execve() takes them; refers to the strings.
inline std::vector<char*> exec_words(std::vector<std::string>& strings) {
  std::vector<char*> list;
  list.reserve(strings.size() + 1);
  for (std::string& s : strings) list.push_back(s.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace tool

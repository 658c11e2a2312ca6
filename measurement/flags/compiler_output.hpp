// SPDX-License-Identifier: MIT
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace measurement {

/// The line of a compiler's or linker's messages that says why it gave up: the first with an error in it, or else the
/// first that is not empty; "" if there is none.
inline std::string first_complaint(const std::string& messages) {
  std::string first;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    for (const char* sign : {"error", "undefined reference", "cannot find", "undefined symbol"})
      if (line.find(sign) != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first;
}

/// The files of a rule that -MMD or -MD wrote, "a.o: a.cpp /usr/include/b\ c.h \", without its target.
inline std::vector<std::string> dependencies_of(const std::string& rule) {
  std::vector<std::string> files;
  std::string name;
  const auto end_name = [&] {
    if (!name.empty()) files.push_back(name);
    name.clear();
  };
  const std::size_t colon = rule.find(": ");
  for (std::size_t i = colon == std::string::npos ? rule.size() : colon + 2; i < rule.size(); ++i) {
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\0';
    if (rule[i] == '\\' && next == '\n') {
      ++i, end_name();
    } else if ((rule[i] == '\\' && (next == ' ' || next == '#')) || (rule[i] == '$' && next == '$')) {
      name += rule[++i];
    } else if (rule[i] == ' ' || rule[i] == '\n') {
      end_name();
    } else {
      name += rule[i];
    }
  }
  end_name();
  return files;
}

}  // namespace measurement

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace measurement {

/// Returns the line of a compiler's or linker's messages that explains the failure: the first with an error in it,
/// else the first that is not empty, else "".
inline std::string first_complaint(const std::string& messages) {
  std::string first;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    for (const char* sign : {"error:", "undefined reference", "cannot find", "undefined symbol"})
      if (line.find(sign) != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first;
}

/// Like first_complaint(), for a build tool, which also prints commands: they may contain -Werror. A message of CMake
/// itself is returned up to its next empty line.
inline std::string first_build_complaint(const std::string& messages) {
  std::istringstream lines(messages);
  std::string of_cmake;
  for (std::string line; std::getline(lines, line);) {
    for (const char* sign : {"error: ", "undefined reference to ", "cannot find -l", "undefined symbol"})
      if (line.find(sign) != std::string::npos) return line.substr(line.find_first_not_of(' '));
    const bool goes_on = !of_cmake.empty() && !of_cmake.ends_with('\n');
    if (goes_on && line.empty()) of_cmake += '\n';
    else if (goes_on) of_cmake += ' ' + line.substr(std::min(line.find_first_not_of(' '), line.size()));
    else if (of_cmake.empty() && line.starts_with("CMake Error")) of_cmake = line;
  }
  return of_cmake.empty() ? first_complaint(messages) : of_cmake.substr(0, of_cmake.find('\n'));
}

/// Returns the files of a rule written by -MMD or -MD, "a.o: a.cpp /usr/include/b\ c.h \", without its target.
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

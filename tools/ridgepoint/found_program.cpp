// SPDX-License-Identifier: MIT
#include "found_program.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace tool {

std::filesystem::path found_program(const std::string& name) {
  const auto runs = [](const std::filesystem::path& file) {
    return std::filesystem::is_regular_file(file) && ::access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos)
    return runs(name) ? std::filesystem::absolute(name) : std::filesystem::path();
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (std::filesystem::path file = std::filesystem::path(folder) / name; runs(file)) return file;
  return {};
}

}  // namespace tool

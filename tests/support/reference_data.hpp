// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

/// Published tables that are not part of this project, for tests of the doctest suite "reference_data".
namespace reference_data {

/// The folder that $RIDGEPOINT_REFERENCE_DATA names. Where it is missing the process says so and exits with 77.
inline std::filesystem::path folder() {
  const char* named = std::getenv("RIDGEPOINT_REFERENCE_DATA");
  if (named == nullptr || !std::filesystem::is_directory(named)) {
    std::printf("SKIPPED: RIDGEPOINT_REFERENCE_DATA is %s; must be the folder of the published tables\n",
                named == nullptr ? "not set" : named);
    std::fflush(stdout);
    std::_Exit(77);
  }
  return named;
}

/// One row of a table: column name to text.
using row = std::map<std::string, std::string>;

/// The rows of a comma-separated table whose first line names the columns; quoted fields may hold commas.
inline std::vector<row> read_csv(const std::filesystem::path& file) {
  const auto fields = [](const std::string& line) {
    std::vector<std::string> parts(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      else if (c == ',' && !quoted) parts.emplace_back();
      else if (c != '\r') parts.back() += c;
    }
    return parts;
  };
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) throw std::runtime_error("can not read " + file.string());
  const std::vector<std::string> names = fields(line);
  std::vector<row> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> values = fields(line);
    row one;
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) one[names[i]] = values[i];
    rows.push_back(std::move(one));
  }
  return rows;
}

}  // namespace reference_data

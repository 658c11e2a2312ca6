// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <ridgepoint/core/csv.hpp>

/// Published tables that are not part of this project, for tests of the doctest suite "reference_data".
namespace reference_data {

/// Folder in $RIDGEPOINT_REFERENCE_DATA. If it is missing, prints this and exits with 77.
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

/// The rows of a comma-separated table.
inline std::vector<row> read_csv(const std::filesystem::path& file) {
  const ridgepoint::csv_table table = ridgepoint::load_csv(file.string());
  std::vector<row> rows(table.size());
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < table.columns().size(); ++c) rows[r][table.columns()[c]] = table.text(r, c);
  return rows;
}

}  // namespace reference_data

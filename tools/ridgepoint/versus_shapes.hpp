// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tool {

/// "64,128,256" or "64x128x256" → {"64", "128", "256"}.
/// Throws: ridgepoint::value_error unless it is `extents` positive integers of at most eight digits.
std::vector<std::string> parse_shape(const std::string& text, std::size_t extents);

/// A line of a CSV file as "op", "rows,cols". Throws: ridgepoint::value_error unless it starts with a name and a comma.
std::pair<std::string, std::string> parse_op(const std::string& line);

/// The lines of a CSV file, without its first line, the names of the columns, and without empty ones.
/// Throws: ridgepoint::data_error if the file can not be read, is no table or has no such line.
std::vector<std::string> read_rows(const std::filesystem::path& file);

}  // namespace tool

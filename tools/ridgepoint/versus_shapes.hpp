// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tool {

/// "64,128,256", "64x128x256" → {"64", "128", "256"}.
/// Throws: ridgepoint::value_error unless it is `extents` positive integers of at most six digits.
std::vector<std::string> parse_shape(const std::string& text, std::size_t extents);

/// The shapes of a CSV file, one per line; a first line of column names and empty lines are skipped.
/// Throws: ridgepoint::data_error if the file can not be read, is longer than 1 MB or has a line that is no shape.
std::vector<std::vector<std::string>> read_shapes(const std::filesystem::path& file, std::size_t extents);

}  // namespace tool

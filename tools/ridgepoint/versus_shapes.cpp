// SPDX-License-Identifier: MIT
#include "versus_shapes.hpp"

#include <algorithm>
#include <cctype>

#include <ridgepoint/core/csv.hpp>

namespace tool {

namespace rp = ridgepoint;

std::vector<std::string> parse_shape(const std::string& text, std::size_t extents) {
  std::vector<std::string> shape(1);
  for (const char c : text) {
    if (c == ',' || c == 'x') shape.emplace_back();
    else if (c != ' ') shape.back() += c;
  }
  const auto positive = [](const std::string& extent) {
    return !extent.empty() && extent.size() <= 8 && extent[0] != '0' &&
           std::ranges::all_of(extent, [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  rp::require<rp::value_error>(shape.size() == extents && std::ranges::all_of(shape, positive), "shape: '", text,
                               "'; must be ", extents, " positive integers of at most eight digits, as in 64,128");
  return shape;
}

std::pair<std::string, std::string> parse_op(const std::string& line) {
  const std::size_t comma = line.find(',');
  const std::string name = line.substr(0, comma);
  const bool letters = std::ranges::all_of(name, [](unsigned char c) { return std::isalpha(c) != 0; });
  rp::require<rp::value_error>(comma != std::string::npos && comma > 0 && letters, "problem: '", line,
                               "'; must be an op and its extents, as in tanh,64,128");
  return {name, line.substr(comma + 1)};
}

std::vector<std::string> read_rows(const std::filesystem::path& file) {
  const rp::csv_table table = rp::load_csv(file.string());
  rp::require<rp::data_error>(table.size() > 0, "shapes: ", file.string(),
                              " has no shapes; must have a line of column names and at least one shape");
  std::vector<std::string> rows(table.size());
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < table.columns().size(); ++c) rows[r] += (c == 0 ? "" : ",") + table.text(r, c);
  return rows;
}

}  // namespace tool

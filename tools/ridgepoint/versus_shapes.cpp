// SPDX-License-Identifier: MIT
#include "versus_shapes.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>

#include <ridgepoint/core/error.hpp>

namespace tool {

namespace rp = ridgepoint;

std::vector<std::string> parse_shape(const std::string& text, std::size_t extents) {
  std::vector<std::string> shape(1);
  for (const char c : text) {
    if (c == ',' || c == 'x') shape.emplace_back();
    else if (c != ' ' && c != '\r') shape.back() += c;
  }
  const auto positive = [](const std::string& extent) {
    return !extent.empty() && extent.size() <= 6 && extent[0] != '0' &&
           std::ranges::all_of(extent, [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  rp::require<rp::value_error>(shape.size() == extents && std::ranges::all_of(shape, positive), "shape: '", text,
                               "'; must be ", extents, " positive integers of at most six digits, as in 64,128,256");
  return shape;
}

std::vector<std::vector<std::string>> read_shapes(const std::filesystem::path& file, std::size_t extents) {
  std::ifstream in(file);
  rp::require<rp::data_error>(in.is_open(), "shapes: ", file.string(), " can not be opened");
  std::vector<std::vector<std::string>> shapes;
  std::string line;
  std::size_t number = 0, bytes = 0;
  while (std::getline(in, line)) {
    ++number, bytes += line.size() + 1;
    rp::require<rp::data_error>(bytes <= 1'000'000, "shapes: ", file.string(),
                                " is longer than 1 MB; must be a list of shapes");
    const bool names = number == 1 && !line.empty() && std::isalpha(static_cast<unsigned char>(line[0])) != 0;
    if (names || line.empty() || line == "\r") continue;
    try {
      shapes.push_back(parse_shape(line, extents));
    } catch (const rp::value_error& e) {
      throw rp::data_error(rp::concat(file.string(), ':', number, ": ", e.what()));
    }
  }
  rp::require<rp::data_error>(!shapes.empty(), "shapes: ", file.string(), " has no shapes; must have at least one");
  return shapes;
}

}  // namespace tool

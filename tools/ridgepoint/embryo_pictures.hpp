// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/data/embryos.hpp>
#include <ridgepoint/roofline/html_json.hpp>

#include "measurement/synthetic/packed_png.hpp"

/// Pictures of study C's images after each stage of their preparation.
namespace tool {

/// Returns bytes in base64 (RFC 4648).
[[nodiscard]] inline std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = i; j < i + 3; ++j)
      three = three << 8 | (j < bytes.size() ? static_cast<std::uint8_t>(bytes[j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) text += i + j > bytes.size() ? '=' : digits[three >> (18 - 6 * j) & 63];
  }
  return text;
}

/// Returns a picture with its caption, `side` pixels wide on the page; larger images are reduced to that.
[[nodiscard]] inline std::string picture(const ridgepoint::grey_image& image, std::string_view caption) {
  constexpr ridgepoint::index_t side = 160;
  const ridgepoint::grey_image shown = image.width > side ? ridgepoint::resize_image(image, side, side) : image;
  const std::string text = ridgepoint::escape_markup(caption);
  return ridgepoint::concat("<div style='width:", side, "px'><img width='", side, "' height='", side, "' alt='", text,
                            "' src='data:image/png;base64,", base64(synthetic::pack_png(shown)), "'><br>", text,
                            "</div>\n");
}

/// Returns a page's section with one training image of each class: the file's, and after each stage.
/// Throws: as embryos().
[[nodiscard]] inline std::string embryo_section(const std::string& directory,
                                                const ridgepoint::embryo_options& options = {}) {
  std::vector<ridgepoint::embryo_file> files = ridgepoint::embryo_files(directory);
  if (options.per_class > 0) files = ridgepoint::balanced(files, options.per_class);
  std::erase_if(files, [](const auto& file) { return file.is_test(); });
  const std::array<std::string, 4> stages{
      ridgepoint::concat("1. central square of ", options.clipped), "2. histogram equalised", "3. shadows inverted",
      ridgepoint::concat("4. rotated by ", 360.0 / options.angles, "°, resized to ", options.side)};
  std::string body = "<h2>Preparation of the images</h2>\n";
  for (int cells = 1; cells <= ridgepoint::embryo_file::most_cells; ++cells) {
    const auto file = std::ranges::find(files, cells, &ridgepoint::embryo_file::cells);
    if (file == files.end()) continue;
    const ridgepoint::grey_image image = ridgepoint::detail::read_embryo(file->path, options.pixels);
    body += ridgepoint::concat("<h3>", cells, cells == 1 ? " cell: " : " cells: ",
                               ridgepoint::escape_markup(ridgepoint::printable(file->path)),
                               "</h3>\n<div class='panels'>\n",
                               picture(image, ridgepoint::concat("file of ", options.pixels, " × ", options.pixels)));
    const std::array<ridgepoint::grey_image, 4> after = ridgepoint::embryo_stages(image, options);
    for (std::size_t i = 0; i < after.size(); ++i) body += picture(after[i], stages[i]);
    body += "</div>\n";
  }
  return body;
}

}  // namespace tool

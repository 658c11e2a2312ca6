// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

enum class glyphs { ascii, unicode };

/// Unicode if the environment's locale says UTF-8.
[[nodiscard]] inline glyphs terminal_glyphs() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale(value);  // "en_US.UTF-8", "C.utf8"
    for (char& c : locale) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return locale.ends_with("utf-8") || locale.ends_with("utf8") ? glyphs::unicode : glyphs::ascii;
  }
  return glyphs::ascii;
}

/// Text over lines on a grid of characters. Lines are braille dots, 2×4 to a character, or one character each in ASCII.
/// Positions x, y are in [0, 1] with the origin at the lower left; columns and rows count from the upper left.
class text_canvas {
 public:
  text_canvas(int width, int height, glyphs style)
      : width_(width), height_(height), fine_(style == glyphs::unicode), lines_(cells()), text_(cells()) {}

  void dot(double x, double y, char ascii) {
    const int column = scale(x, dots_across()), row = dots_down() - 1 - scale(y, dots_down());
    static constexpr unsigned char bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (fine_) lines_[at(column / 2, row / 4)] |= bit[row % 4][column % 2];
    else lines_[at(column, row)] = static_cast<unsigned char>(ascii);
  }
  /// A letter over whatever is there; a + where two meet.
  void letter(double x, double y, char c) {
    char& cell = text_[at(column_of(x), row_of(y))];
    cell = cell == '\0' || cell == c ? c : '+';
  }
  /// Writes words over lines, unless they would leave the canvas or touch other words. Says whether it did.
  bool label(int column, int row, std::string_view words) {
    const int length = static_cast<int>(words.size());
    if (row < 0 || row >= height_ || column < 0 || column + length > width_) return false;
    for (int i = (std::max)(column - 1, 0); i < (std::min)(column + length + 1, width_); ++i)
      if (text_[at(i, row)] != '\0') return false;
    std::copy(words.begin(), words.end(), text_.begin() + static_cast<std::ptrdiff_t>(at(column, row)));
    return true;
  }
  [[nodiscard]] int column_of(double x) const { return scale(x, width_); }
  [[nodiscard]] int row_of(double y) const { return height_ - 1 - scale(y, height_); }
  [[nodiscard]] int dots_across() const { return width_ * (fine_ ? 2 : 1); }
  [[nodiscard]] int dots_down() const { return height_ * (fine_ ? 4 : 1); }

  [[nodiscard]] std::string row(int row) const {
    std::string line;
    for (int column = 0; column < width_; ++column) {
      const std::size_t i = at(column, row);
      const unsigned char drawn = lines_[i];
      if (text_[i] != '\0') line += text_[i];
      else if (drawn == 0) line += ' ';
      else if (!fine_) line += static_cast<char>(drawn);
      else line.append({'\xE2', static_cast<char>(0xA0 | (drawn >> 6)), static_cast<char>(0x80 | (drawn & 63))});
    }
    return line.substr(0, line.find_last_not_of(' ') + 1);
  }

 private:
  [[nodiscard]] static int scale(double position, int steps) {
    return std::clamp(static_cast<int>(position * steps), 0, steps - 1);
  }
  [[nodiscard]] std::size_t cells() const { return static_cast<std::size_t>(width_ * height_); }
  [[nodiscard]] std::size_t at(int column, int row) const { return static_cast<std::size_t>(row * width_ + column); }

  int width_, height_;
  bool fine_;
  std::vector<unsigned char> lines_;  // braille dots, or an ASCII character
  std::vector<char> text_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

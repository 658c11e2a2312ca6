// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/roofline/chart.hpp>
#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/placement.hpp>

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
  /// Draws a letter over existing content; a + where two meet.
  void letter(double x, double y, char c) {
    char& cell = text_[at(column_of(x), row_of(y))];
    cell = cell == '\0' || cell == c ? c : '+';
  }
  /// Writes words over lines, unless they would leave the canvas or touch other words. Returns true if written.
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

/// Size of plot()'s output.
struct plot_options {
  int width = 72, height = 20;  // of the drawing, in characters
  glyphs style = terminal_glyphs();
};

/// Throws: value_error unless width is 40 to 400 and height 8 to 200.
inline void check(const plot_options& options) {
  require<value_error>(options.width >= 40 && options.width <= 400 && options.height >= 8 && options.height <= 200,
                       "plot: size is ", options.width, 'x', options.height, "; must be 40x8 to 400x200");
}

namespace detail {

/// Adds both axes and their decades to a drawing.
[[nodiscard]] inline std::string with_axes(const text_canvas& canvas, const roofline_axes& axes,
                                           const plot_options& options) {
  std::string text;
  for (int row = 0; row < options.height; ++row) {
    std::string tick;
    for (int decade = axes.y.first; decade <= axes.y.last; ++decade)
      if (canvas.row_of(axes.y.position(std::pow(10, decade))) == row) tick = quantity(std::pow(10, decade), "", 1);
    text += std::string(6 - std::min<std::size_t>(columns(tick), 6), ' ') + tick + "| " + canvas.row(row) + '\n';
  }
  std::string ruler(static_cast<std::size_t>(options.width) + 8, ' ');
  for (int decade = axes.x.first; decade <= axes.x.last; ++decade) {
    const std::string tick = figures(std::pow(10, decade), 1);
    const auto column = static_cast<std::size_t>(8 + canvas.column_of(axes.x.position(std::pow(10, decade))));
    ruler.replace((std::min)(column, ruler.size() - tick.size()), tick.size(), tick);
  }
  return text + "      +" + std::string(static_cast<std::size_t>(options.width) + 1, '-') + '\n' + ruler + "  FLOP/B\n";
}
/// Draws the roof of launches, dotted.
inline void draw_launch_roof(text_canvas& canvas, double y) {
  for (int i = 0; i < canvas.dots_across(); i += 3) canvas.dot((i + 0.5) / canvas.dots_across(), y, '.');
}

}  // namespace detail

/// Plots a profile on a machine's roofline for a terminal: one letter per row, as in table(); + where letters meet.
///
/// The axes are axes_of(p, on); rows without arithmetic are named below. One roof per memory level; the roof of
/// launches is dotted.
/// Throws: value_error unless width is 40 to 400 and height 8 to 200.
/// Example: std::cout << rp::plot(trainer.profile(), rp::probe(cpu));
[[nodiscard]] inline std::string plot(const profile& p, const machine& on, const plot_options& options = {}) {
  check(options);
  const roof_query query = roofs_for(p);
  const roofline_axes axes = axes_of(p, on);
  const auto ridges = on.ridge_points(query);
  text_canvas canvas(options.width, options.height, options.style);

  for (const ridge_point& r : ridges)
    for (int i = 0; i < canvas.dots_across(); ++i) {
      const double x = (i + 0.5) / canvas.dots_across(), slope = axes.x.value_at(x) * r.bandwidth.per_s;
      const bool flat = slope >= r.compute.per_s;
      if (slope >= axes.y.low()) canvas.dot(x, axes.y.position((std::min)(slope, r.compute.per_s)), flat ? '-' : '/');
    }
  if (const double flat = launch_roof_flop_per_s(on, p); flat > 0 && flat < axes.y.high()) {
    detail::draw_launch_roof(canvas, axes.y.position(flat));
    canvas.label(1, canvas.row_of(axes.y.position(flat)), "launches");
  }
  std::string hidden;
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    const placement at = place(on, p, p.rows[i]);
    const double x = axes.x.position(at.flop_per_byte), y = axes.y.position(at.flop_per_s);
    if (on_chart(at)) canvas.letter(x, y, row_letter(i));
    else hidden += concat(hidden.empty() ? "" : ", ", row_letter(i), ' ', printable(p.rows[i].layer));
  }
  double top = axes.y.position(ridges.empty() ? 0 : ridges[0].compute.per_s);
  for (const ridge_point& r : ridges)  // on the slope, each a little lower than the previous one
    for (double y = top -= 0.1; y > 0; y -= 0.02) {
      const std::string level = printable(r.bandwidth.level);
      const int middle = canvas.column_of(axes.x.position(axes.y.value_at(y) / r.bandwidth.per_s));
      if (canvas.label(middle - static_cast<int>(level.size() / 2), canvas.row_of(y), level)) break;
    }

  std::string text = printable(concat("FLOP/s of ", p.title, " on ", on.name, "; letters as in the table")) + '\n';
  text += detail::with_axes(canvas, axes, options);
  for (const ridge_point& r : ridges)
    text += concat("        ", printable(r.bandwidth.level), ' ', quantity(r.bandwidth.per_s, "B/s"), ", ridge at ",
                   figures(r.flop_per_byte()), " FLOP/B; compute ", quantity(r.compute.per_s, "FLOP/s"), '\n');
  if (const std::string legend = launch_legend(on, p); !legend.empty()) text += "        " + legend + " (dotted)\n";
  if (!hidden.empty()) text += "        no arithmetic, not shown: " + hidden + '\n';
  return text;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

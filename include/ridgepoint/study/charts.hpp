// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/text_canvas.hpp>
#include <ridgepoint/roofline/text_table.hpp>

/// \file
/// The charts of sweeps, and how a terminal shows them. Values are percentages or ratios.
namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Values over two extents. NaN: not there. Negative: out of memory.
struct heat_map {
  std::string title, x_name, y_name;
  std::vector<index_t> x = {}, y = {};
  std::vector<double> cells = {};  // y.size() rows of x.size()
  double full = 100;               // what the darkest colour stands for

  [[nodiscard]] double at(std::size_t row, std::size_t column) const { return cells.at(row * x.size() + column); }
};

/// Two percentages of every network, with the line on which they are equal.
struct scatter {
  std::string title, x_name, y_name;
  std::vector<std::pair<double, double>> points;
  double full = 100;
};

/// How values of several groups spread: 9th to 91st percentile as a bar, the median as a line, 2nd, 98th as whiskers.
struct box_chart {
  struct box {
    std::string name;
    double low = 0, from = 0, middle = 0, to = 0, high = 0;
    std::size_t count = 0;
  };
  std::string title, value_name;
  std::vector<box> boxes;
};

/// A heat map in a terminal: "##" is out of memory.
[[nodiscard]] inline std::string text(const heat_map& m) {
  const auto cell = [&](std::size_t row, std::size_t column) {
    const double value = m.at(row, column);
    return std::isnan(value) ? std::string() : value < 0 ? "##" : figures(value);
  };
  std::size_t width = 8;
  for (std::size_t i = 0; i < m.cells.size(); ++i)
    width = std::max(width, cell(i / m.x.size(), i % m.x.size()).size() + 1);
  const auto pad = [&](const std::string& text) {
    return std::string(width - std::min(width, text.size()), ' ') + text;
  };
  std::string out = m.title + "\n" + m.y_name + " \\ " + m.x_name + '\n' + pad("");
  for (const index_t x : m.x) out += pad(concat(x));
  for (std::size_t row = 0; row < m.y.size(); ++row) {
    out += '\n' + pad(concat(m.y[row]));
    for (std::size_t column = 0; column < m.x.size(); ++column) out += pad(cell(row, column));
  }
  return out + '\n';
}

/// A scatter in a terminal, with the line on which both are equal.
[[nodiscard]] inline std::string text(const scatter& s, glyphs style = terminal_glyphs()) {
  text_canvas canvas(50, 25, style);
  for (int i = 0; i < canvas.dots_across(); ++i) {
    const double x = (i + 0.5) / canvas.dots_across();
    canvas.dot(x, x, '/');
  }
  for (const auto& [x, y] : s.points) canvas.letter(x / s.full, y / s.full, 'o');
  std::string out = concat(s.title, "\n", s.y_name, " to ", figures(s.full), '\n');
  for (int row = 0; row < 25; ++row) out += "| " + canvas.row(row) + '\n';
  return concat(out, '+', std::string(51, '-'), "\n  ", s.x_name, " to ", figures(s.full), '\n');
}

/// How values spread as a table.
[[nodiscard]] inline std::string text(const box_chart& b) {
  text_table t{.head = {b.title, "count", "2nd", "9th", "median", "91st", "98th"}, .align = "lrrrrrr"};
  for (const box_chart::box& one : b.boxes)
    t.rows.push_back({one.name, concat(one.count), figures(one.low), figures(one.from), figures(one.middle),
                      figures(one.to), figures(one.high)});
  return concat(t.text(), "percentiles: ", b.value_name, '\n');
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

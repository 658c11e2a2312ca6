// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <ridgepoint/roofline/format.hpp>

/// \file
/// The charts of sweeps, and heat maps for a terminal. Values are percentages or ratios.
namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Values over two extents. NaN: missing. Negative: out of memory.
struct heat_map {
  std::string title, x_name, y_name;
  std::vector<index_t> x = {}, y = {};
  std::vector<double> cells = {};  // y.size() rows of x.size()
  double full = 100;               // value of the darkest colour

  [[nodiscard]] double at(std::size_t row, std::size_t column) const { return cells.at(row * x.size() + column); }
};

/// Two percentages of every network.
struct scatter {
  std::string title, x_name, y_name;
  std::vector<std::pair<double, double>> points;
  double full = 100;
  bool has_equality_line = true;  // the line on which both are equal
};

/// Spread of values of several groups: 9th to 91st percentile as a bar, the median as a line, 2nd, 98th as whiskers.
struct box_chart {
  struct box {
    std::string name;
    double low = 0, from = 0, middle = 0, to = 0, high = 0;
    std::size_t count = 0;
  };
  std::string title, value_name;
  std::vector<box> boxes;
};

/// Signed values of several names with their intervals, as bars from 0.
struct bar_chart {
  struct bar {
    std::string name;
    double low = 0, value = 0, high = 0;
  };
  std::string title, value_name;
  std::vector<bar> bars;
  double full = 1;  // the axis reaches from -full to full
};

/// Draws a heat map for a terminal: "##" is out of memory.
[[nodiscard]] inline std::string text(const heat_map& m) {
  const auto cell = [&](std::size_t row, std::size_t column) {
    const double value = m.at(row, column);
    return std::isnan(value) ? std::string() : value < 0 ? "##" : figures(value);
  };
  std::size_t width = 8;
  for (std::size_t i = 0; i < m.cells.size(); ++i)
    width = (std::max)(width, cell(i / m.x.size(), i % m.x.size()).size() + 1);
  const auto pad = [&](const std::string& text) {
    return std::string(width - (std::min)(width, text.size()), ' ') + text;
  };
  std::string out = m.title + "\n" + m.y_name + " \\ " + m.x_name + '\n' + pad("");
  for (const index_t x : m.x) out += pad(concat(x));
  for (std::size_t row = 0; row < m.y.size(); ++row) {
    out += '\n' + pad(concat(m.y[row]));
    for (std::size_t column = 0; column < m.x.size(); ++column) out += pad(cell(row, column));
  }
  return out + '\n';
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

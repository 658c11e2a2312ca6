// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/svg.hpp>

/// \file
/// The charts of sweeps, as text and as SVG that needs nothing else. Values are percentages or ratios.
namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Values over two extents. NaN: not there. Negative: out of memory, drawn hatched.
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
  std::string out = m.title + "\n" + m.y_name + " \\ " + m.x_name + '\n';
  const auto pad = [](const std::string& cell, std::size_t width) {
    return std::string(width > cell.size() ? width - cell.size() : 0, ' ') + cell;
  };
  out += pad("", 8);
  for (const index_t x : m.x) out += pad(concat(x), 8);
  out += '\n';
  for (std::size_t row = 0; row < m.y.size(); ++row) {
    out += pad(concat(m.y[row]), 8);
    for (std::size_t column = 0; column < m.x.size(); ++column) {
      const double value = m.at(row, column);
      out += pad(std::isnan(value) ? "" : value < 0 ? "##" : figures(value), 8);
    }
    out += '\n';
  }
  return out;
}

namespace detail {

inline std::string svg_text(double x, double y, std::string_view anchor, std::string_view words) {
  return concat("<text x='", x, "' y='", y, "' text-anchor='", anchor, "'>", escape_markup(words), "</text>\n");
}
inline std::string svg_frame(double width, double height, const std::string& title) {
  return concat("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 ", width, ' ', height, "' width='", width,
                "' role='img' font-family='system-ui, sans-serif' font-size='12' style='background:#fff'><title>",
                escape_markup(title), "</title>\n");
}
/// From almost white to dark blue; readable in grey.
inline std::string shade(double share) {
  const double t = std::clamp(share, 0.0, 1.0);
  const auto mix = [&](int from, int to) { return static_cast<int>(from + t * (to - from)); };
  return concat("rgb(", mix(239, 8), ',', mix(243, 48), ',', mix(255, 107), ')');
}

}  // namespace detail

[[nodiscard]] inline std::string svg(const heat_map& m) {
  constexpr double cell_x = 62, cell_y = 30, left = 90, top = 20;
  const double width = left + cell_x * static_cast<double>(m.x.size()) + 20;
  const double bottom = top + cell_y * static_cast<double>(m.y.size());
  std::string out = detail::svg_frame(width, bottom + 50, m.title);
  out +=
      "<defs><pattern id='hatch' width='6' height='6' patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>"
      "<rect width='6' height='6' fill='#fff'/><path d='M0 0V6' stroke='#999' stroke-width='2'/></pattern></defs>\n";
  for (std::size_t row = 0; row < m.y.size(); ++row) {
    const double y = bottom - cell_y * static_cast<double>(row + 1);  // small values below
    out += detail::svg_text(left - 8, y + 20, "end", concat(m.y[row]));
    for (std::size_t column = 0; column < m.x.size(); ++column) {
      const double value = m.at(row, column), x = left + cell_x * static_cast<double>(column);
      if (std::isnan(value)) continue;
      const std::string fill = value < 0 ? "url(#hatch)" : detail::shade(value / m.full);
      out += concat("<rect x='", x, "' y='", y, "' width='", cell_x - 1, "' height='", cell_y - 1, "' fill='", fill,
                    "'><title>", escape_markup(m.x_name), ' ', m.x[column], ", ", escape_markup(m.y_name), ' ',
                    m.y[row], ": ", value < 0 ? "out of memory" : figures(value), "</title></rect>\n");
      if (value >= 0)
        out += concat("<text x='", x + cell_x / 2, "' y='", y + 20,
                      "' text-anchor='middle' style='fill:", value / m.full > 0.5 ? "#fff" : "#222", "'>",
                      figures(value, 2), "</text>\n");
    }
  }
  for (std::size_t column = 0; column < m.x.size(); ++column)
    out += detail::svg_text(left + cell_x * (static_cast<double>(column) + 0.5), bottom + 18, "middle",
                            concat(m.x[column]));
  out += detail::svg_text(left + cell_x * static_cast<double>(m.x.size()) / 2, bottom + 40, "middle", m.x_name);
  return out + detail::svg_text(10, 14, "start", m.y_name) + "</svg>\n";
}

[[nodiscard]] inline std::string svg(const scatter& s) {
  constexpr double side = 360, left = 60, top = 20;
  const auto x_of = [&](double v) { return left + side * std::clamp(v / s.full, 0.0, 1.0); };
  const auto y_of = [&](double v) { return top + side * (1 - std::clamp(v / s.full, 0.0, 1.0)); };
  std::string out = detail::svg_frame(left + side + 20, top + side + 60, s.title);
  for (int tick = 0; tick <= 4; ++tick) {
    const double value = s.full * tick / 4;
    out += concat("<path d='M", x_of(value), ' ', top, 'V', top + side, 'M', left, ' ', y_of(value), 'H', left + side,
                  "' stroke='#ddd'/>\n");
    out += detail::svg_text(x_of(value), top + side + 18, "middle", figures(value));
    out += detail::svg_text(left - 8, y_of(value) + 4, "end", figures(value));
  }
  out += concat("<path d='M", left, ' ', top + side, 'L', left + side, ' ', top, "' stroke='#888'/>\n");
  for (const auto& [x, y] : s.points)
    out += concat("<circle cx='", x_of(x), "' cy='", y_of(y), "' r='2.5' fill='#0072B2' fill-opacity='.4'/>\n");
  return out + detail::svg_text(left + side / 2, top + side + 42, "middle", s.x_name) +
         detail::svg_text(10, 14, "start", s.y_name) + "</svg>\n";
}

[[nodiscard]] inline std::string svg(const box_chart& b) {
  constexpr double left = 260, long_side = 420, row = 34, top = 10;
  double full = 1;
  for (const box_chart::box& one : b.boxes) full = std::max(full, std::ceil(one.high));
  const double bottom = top + row * static_cast<double>(b.boxes.size());
  const auto x_of = [&](double v) { return left + long_side * v / full; };
  std::string out = detail::svg_frame(left + long_side + 40, bottom + 50, b.title);
  for (int tick = 0; tick <= static_cast<int>(full); ++tick) {
    out += concat("<path d='M", x_of(tick), ' ', top, 'V', bottom, "' stroke='#ddd'/>\n");
    out += detail::svg_text(x_of(tick), bottom + 18, "middle", concat(tick));
  }
  double y = top + row / 2;
  for (const box_chart::box& one : b.boxes) {
    out += detail::svg_text(left - 10, y + 4, "end", concat(one.name, " (", one.count, ')'));
    out += concat("<path d='M", x_of(one.low), ' ', y, 'H', x_of(one.high), "' stroke='#555'/>\n<rect x='",
                  x_of(one.from), "' y='", y - 9, "' width='", std::max(1.0, x_of(one.to) - x_of(one.from)),
                  "' height='18' fill='#9ecae1'><title>", escape_markup(one.name), ": median ", figures(one.middle),
                  ", 9th to 91st percentile ", figures(one.from), " to ", figures(one.to), ", 2nd to 98th ",
                  figures(one.low), " to ", figures(one.high), "</title></rect>\n<path d='M", x_of(one.middle), ' ',
                  y - 9, "v18' stroke='#08306b' stroke-width='3'/>\n");
    y += row;
  }
  return out + detail::svg_text(left + long_side / 2, bottom + 40, "middle", b.value_name) + "</svg>\n";
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

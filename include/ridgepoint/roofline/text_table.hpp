// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <ridgepoint/core/printable.hpp>
#include <ridgepoint/roofline/format.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Aligned columns for a terminal: a header, optional units, a rule, then rows. `align` has one letter per column, l or
/// r. An empty row is drawn as a rule. Cells are printable(): names in them may come from untrusted sources.
/// Example: text_table t{.head = {"layer", "time"}, .units = {"", "ms"}, .align = "lr"};
///          t.rows.push_back({"dense", "1.23"});
///          std::cout << t.text();
struct text_table {
  using row = std::vector<std::string>;
  row head, units = {};
  std::string align;
  std::vector<row> rows = {};

  [[nodiscard]] std::string text() const {
    text_table shown = *this;
    for (row* const cells : {&shown.head, &shown.units})
      for (std::string& cell : *cells) cell = printable(cell);
    for (row& cells : shown.rows)
      for (std::string& cell : cells) cell = printable(cell);
    return shown.lines();
  }

 private:
  [[nodiscard]] std::string lines() const {
    std::vector<std::size_t> width(align.size(), 0);
    const auto measure = [&](const row& cells) {
      const std::size_t count = (std::min)(cells.size(), width.size());
      for (std::size_t i = 0; i < count; ++i) width[i] = (std::max)(width[i], columns(cells[i]));
    };
    measure(head);
    measure(units);
    for (const row& cells : rows) measure(cells);
    std::size_t total = 0;
    for (const std::size_t w : width) total += w + (total == 0 ? 0 : 2);

    std::string out;
    const auto draw = [&](const row& cells) {
      std::string line;
      for (std::size_t i = 0; i < width.size(); ++i) {
        const std::string cell = i < cells.size() ? cells[i] : "", gap(width[i] - columns(cell), ' ');
        line += (i == 0 ? "" : "  ") + (align[i] == 'l' ? cell + gap : gap + cell);
      }
      out += (cells.empty() ? std::string(total, '-') : line.substr(0, line.find_last_not_of(' ') + 1)) + '\n';
    };
    draw(head);
    if (!units.empty()) draw(units);
    draw({});
    for (const row& cells : rows) draw(cells);
    return out;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

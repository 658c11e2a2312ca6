// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/input_file.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A table of text: a head and rows of as many cells. Cells may be in double quotes, which may hold commas.
///
/// Example:
///   const rp::csv_table t = rp::load_csv("paradnn_tpu_fc.csv");
///   t.number(0, t.column("step_per_s"))
class csv_table {
 public:
  /// Throws: data_error naming the source and line if a row has too many or too few cells, or the text has no head.
  csv_table(std::string_view text, std::string source) : source_(std::move(source)) {
    std::size_t line = 0;
    while (!text.empty()) {
      const std::size_t end = (std::min)(text.find('\n'), text.size());
      std::string_view row = text.substr(0, end);
      text.remove_prefix((std::min)(end + 1, text.size()));
      if (row.ends_with('\r')) row.remove_suffix(1);
      ++line;
      if (row.empty()) continue;
      std::vector<std::string> cells = split(row, line);
      if (head_.empty()) {
        head_ = std::move(cells);
        continue;
      }
      require<data_error>(cells.size() == head_.size(), source_, ": line ", line, " has ", cells.size(),
                          " cells; must have ", head_.size());
      rows_.push_back(std::move(cells));
      lines_.push_back(line);
    }
    require<data_error>(!head_.empty(), source_, ": is empty; must have a line of column names");
  }

  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  [[nodiscard]] const std::string& source() const noexcept { return source_; }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept { return head_; }
  /// Index of a column. Throws: data_error if there is none of that name.
  [[nodiscard]] std::size_t column(std::string_view name) const {
    const auto found = std::find(head_.begin(), head_.end(), name);
    require<data_error>(found != head_.end(), source_, ": has no column ", name);
    return static_cast<std::size_t>(found - head_.begin());
  }
  [[nodiscard]] const std::string& text(std::size_t row, std::size_t column) const { return rows_.at(row).at(column); }
  /// A finite number; an empty cell, "-" and "nan" are NaN. Throws: data_error for anything else.
  [[nodiscard]] double number(std::size_t row, std::size_t column) const {
    const std::string& cell = text(row, column);
    if (cell.empty() || cell == "-" || cell == "nan") return std::numeric_limits<double>::quiet_NaN();
    double value = 0;
    const auto [end, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    require<data_error>(failure == std::errc{} && end == cell.data() + cell.size() && std::isfinite(value), source_,
                        ": line ", lines_[row], ", column ", head_[column], " is \"", cell, "\"; must be a number");
    return value;
  }

 private:
  [[nodiscard]] std::vector<std::string> split(std::string_view row, std::size_t line) const {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : row) {
      if (c == '"') quoted = !quoted;
      else if (c == ',' && !quoted) cells.emplace_back();
      else cells.back() += c;
      require<data_error>(cells.size() <= 256, source_, ": line ", line, " has over 256 cells; must have at most 256");
    }
    require<data_error>(!quoted, source_, ": line ", line, " leaves a quote open; must close it");
    return cells;
  }
  std::string source_;
  std::vector<std::string> head_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> lines_;
};

/// A table of at most 16 MiB. Throws: data_error if it can not be read or is not a table.
[[nodiscard]] inline csv_table load_csv(const std::string& path) { return {read_file(path, 16 << 20), path}; }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/files.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A table of text: a line of distinct column names, and rows with as many cells. A cell in double quotes may contain
/// commas, and a quote as two (RFC 4180, except for line ends in cells). A UTF-8 byte order mark is skipped.
///
/// Example:
///   const rp::csv_table t = rp::load_csv("paradnn_tpu_fc.csv");
///   t.number(0, t.column("step_per_s"))
class csv_table {
 public:
  /// Throws: data_error naming the source and line if a row has too many or too few cells, two columns have one name, a
  /// quote is out of place, or the text has no header.
  csv_table(std::string_view text, std::string source) : source_(std::move(source)) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
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
        head_line_ = line;
        for (auto name = head_.begin(); name != head_.end(); ++name)
          require<data_error>(std::find(head_.begin(), name, *name) == name, source_, ": line ", line,
                              " has two columns \"", *name, "\"; must differ");
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
  /// Returns the prefix of a message about a cell: "t.csv: line 3, column value".
  [[nodiscard]] std::string where(std::size_t row, std::size_t column) const {
    return concat(source_, ": line ", lines_.at(row), ", column ", head_.at(column));
  }
  /// Returns the index of a column. Throws: data_error for an unknown name.
  [[nodiscard]] std::size_t column(std::string_view name) const {
    const auto found = std::find(head_.begin(), head_.end(), name);
    if (found != head_.end()) return static_cast<std::size_t>(found - head_.begin());
    std::string names;
    for (const std::string& one : head_) names += (names.empty() ? "" : ",") + one;
    throw data_error(concat(source_, ": line ", head_line_, " has no column ", name, "; found ", names.substr(0, 200)));
  }
  [[nodiscard]] const std::string& text(std::size_t row, std::size_t column) const { return rows_.at(row).at(column); }
  /// Returns a finite number; an empty cell, "-" and "nan" are NaN. Throws: data_error for anything else.
  [[nodiscard]] double number(std::size_t row, std::size_t column) const {
    const std::string& cell = text(row, column);
    if (cell.empty() || cell == "-" || cell == "nan") return std::numeric_limits<double>::quiet_NaN();
    double value = 0;
    const auto [end, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    require<data_error>(failure == std::errc{} && end == cell.data() + cell.size() && std::isfinite(value),
                        where(row, column), " is \"", cell, "\"; must be a number");
    return value;
  }

 private:
  [[nodiscard]] std::vector<std::string> split(std::string_view row, std::size_t line) const {
    std::vector<std::string> cells;
    for (bool more = true; more;) {
      require<data_error>(cells.size() < 256, source_, ": line ", line, " has over 256 cells; must have at most 256");
      cells.push_back(row.starts_with('"') ? take_quoted(row, line) : take_plain(row, line));
      more = row.starts_with(',');
      require<data_error>(more || row.empty(), source_, ": line ", line,
                          " has text after a closing quote; must have a comma");
      if (more) row.remove_prefix(1);
    }
    return cells;
  }
  [[nodiscard]] std::string take_plain(std::string_view& row, std::size_t line) const {
    std::string cell(row.substr(0, row.find(',')));
    require<data_error>(cell.find('"') == cell.npos, source_, ": line ", line,
                        " has a quote inside a cell; the cell must be in quotes, and the quote doubled");
    row.remove_prefix(cell.size());
    return cell;
  }
  [[nodiscard]] std::string take_quoted(std::string_view& row, std::size_t line) const {
    std::string cell;
    do {
      row.remove_prefix(1);
      const std::size_t end = row.find('"');
      require<data_error>(end != row.npos, source_, ": line ", line, " leaves a quote open; must close it");
      cell.append(row.substr(0, end));
      row.remove_prefix(end + 1);
      if (row.starts_with('"')) cell += '"';
    } while (row.starts_with('"'));
    return cell;
  }
  std::string source_;
  std::size_t head_line_ = 0;
  std::vector<std::string> head_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> lines_;
};

/// Loads a table of at most 16 MiB. Throws: data_error if it cannot be read or is not a table.
[[nodiscard]] inline csv_table load_csv(const std::string& path) { return {read_file(path, 16 << 20), path}; }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

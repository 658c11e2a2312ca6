// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ridgepoint/roofline/strict_json.hpp>

#include "locked_file.hpp"
#include "sweep_grid.hpp"

namespace tool {

/// A row of a sweep: a point on a machine. In a file it is one line of JSON.
struct recorded_row {
  sweep_point point;
  std::string machine;       // as in --on
  std::string host = {};     // of the measurement; empty if modelled
  std::string setting = {};  // threads and instruction set, or the software of a model
  std::string state = {};
  std::optional<double> step_s = {}, utilisation = {}, feed_share = {};
  double limit_s = 0;  // of a point that is out of time
  ridgepoint::json document = {};

  /// Equal for rows of the same point on the same machine in the same setting.
  [[nodiscard]] std::string key() const;
  [[nodiscard]] bool out_of_time() const { return state == "out of time"; }
  /// True if this row is out of time and the other, with the same key, is not or had more time.
  [[nodiscard]] bool replaced_by(const recorded_row& other) const {
    return out_of_time() && (!other.out_of_time() || other.limit_s > limit_s);
  }
};

/// Reads a row; errors begin with `where`. Throws: data_error.
[[nodiscard]] recorded_row row_from(ridgepoint::json document, const std::string& where);

/// Relation of an added row to an earlier one with its key: none; it replaces the earlier; the earlier replaces it;
/// both are equal; both stand against each other.
enum class row_relation { first, later, outdated, equal, contradiction };

/// Rows in the order in which their keys came, one per key. Decides which of two rows of a point remains.
class keyed_rows {
 public:
  struct place {
    row_relation relation;
    std::size_t at;  // of the key, in rows()
  };
  /// Adds a row with a new key, or replaces the earlier row if that is `later`.
  place add(recorded_row row);
  /// Returns the row with the key of `row`; null if no row has it.
  [[nodiscard]] const recorded_row* find(const recorded_row& row) const {
    const auto found = places_.find(row.key());
    return found == places_.end() ? nullptr : &rows_[found->second];
  }
  [[nodiscard]] const std::vector<recorded_row>& rows() const noexcept { return rows_; }

 private:
  std::vector<recorded_row> rows_;
  std::map<std::string, std::size_t> places_;  // in rows_, by key
};

/// The rows of a file of JSON lines.
struct sweep_rows {
  keyed_rows by_key;
  std::size_t replaced = 0;        // earlier rows of these points
  std::size_t complete_bytes = 0;  // of the lines that end
  bool cut = false;                // half a line follows, from a process that was killed

  [[nodiscard]] const std::vector<recorded_row>& rows() const noexcept { return by_key.rows(); }
};
/// Reads a file of rows; half a line at its end is left out. A row replaces the row that it measures again.
/// Throws: data_error with file and line for what is not a row, for another version, and for two rows with one key
/// unless the second replaces the first; as read_file().
[[nodiscard]] sweep_rows read_sweep_rows(const std::string& file);

/// A row as a file holds it.
struct row_line {
  std::string text;  // ends in '\n'
  recorded_row row;  // as it is read from the text
};
/// Returns the line of a row. Throws: data_error for what is not a row.
[[nodiscard]] row_line line_of(const ridgepoint::json& document);

/// A file of rows that a sweep appends to. Rows stay if the process is killed; the next sweep goes on after them.
class sweep_file {
 public:
  /// Opens or creates the file, locks it until this object or the process ends, and reads its rows. Removes a part of a
  /// line at the end.
  /// Throws: data_error for rows of another host; as locked_file and read_sweep_rows().
  sweep_file(const std::string& path, const std::string& host);

  /// True if the file has the row. A row that was out of time under a shorter limit than `limit_s` does not count.
  [[nodiscard]] bool has(const recorded_row& row, double limit_s) const {
    const recorded_row* const found = rows_.find(row);
    return found != nullptr && !(found->out_of_time() && found->limit_s < limit_s);
  }
  [[nodiscard]] const std::vector<recorded_row>& rows() const noexcept { return rows_.rows(); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Throws: data_error if the row cannot be written; no part of it stays.
  void append(row_line line);

 private:
  std::string path_;
  locked_file file_;
  keyed_rows rows_;
};

}  // namespace tool

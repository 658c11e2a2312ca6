// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include <ridgepoint/core/error.hpp>

#include "measurement/decimal.hpp"

namespace measurement {

/// Required speed-up, "gemm/1024: avx2/base >= 2.0", or largest distance from exact results with every set,
/// "gemm/1024: accuracy <= 4 ulp".
struct rule {
  std::string text, row, set;  // row: "all" for every row; set: "" for accuracy
  bool at_least = true;        // else at most
  double bound = 0;

  [[nodiscard]] bool is_of_accuracy() const { return set.empty(); }
  [[nodiscard]] bool is_for_row(std::string_view row_name) const { return row == "all" || row == row_name; }
  [[nodiscard]] bool is_for(std::string_view row_name, std::string_view set_name) const {
    return is_for_row(row_name) && (is_of_accuracy() || set == set_name);
  }
  [[nodiscard]] bool holds(double value) const { return at_least ? value >= bound : value <= bound; }
};

/// Parses "<row>: <set>/base >= <number>", or <=, or "<row>: accuracy <= <number> ulp". A row may contain colons and
/// slashes. Throws: ridgepoint::value_error for any other text.
inline rule parse_rule(const std::string& text) {
  namespace rp = ridgepoint;
  constexpr std::string_view of_base = "/base ", of_accuracy = ": accuracy <= ", unit = " ulp";
  rule read{.text = text, .row = {}, .set = {}};
  std::string_view number = text;
  bool fits = false;
  if (const std::size_t at = text.rfind(of_accuracy); at != std::string::npos && text.ends_with(unit)) {
    read.row = text.substr(0, at);
    read.at_least = false;
    number.remove_suffix(unit.size());
    number.remove_prefix(std::min(at + of_accuracy.size(), number.size()));
    fits = true;
  } else if (const std::size_t base = text.rfind(of_base); base != std::string::npos) {
    const std::size_t colon = text.rfind(": ", base);
    number.remove_prefix(base + of_base.size());
    read.at_least = number.starts_with(">= ");
    fits = colon != std::string::npos && colon + 2 < base && (read.at_least || number.starts_with("<= "));
    if (fits) {
      read.row = text.substr(0, colon);
      read.set = text.substr(colon + 2, base - colon - 2);
      number.remove_prefix(3);
    }
  }
  read.bound = decimal<double>(number).value_or(0);
  fits = fits && !read.row.empty() && read.bound > 0 && read.bound < 1e100;
  rp::require<rp::value_error>(fits, "rule: '", text,
                               "'; must be '<row>: <set>/base >= <number>', or <=, or '<row>: accuracy <= <number> "
                               "ulp', where <row> may be all");
  return read;
}

}  // namespace measurement

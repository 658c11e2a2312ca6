// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include <ridgepoint/core/error.hpp>

namespace measurement {

/// What a speed-up must be: "gemm/1024: avx2/base >= 2.0".
struct rule {
  std::string text, row, set;  // row: "all" for every one
  bool at_least = true;        // or at most
  double bound = 0;

  [[nodiscard]] bool is_for(std::string_view row_name, std::string_view set_name) const {
    return set == set_name && (row == "all" || row == row_name);
  }
  [[nodiscard]] bool holds(double speedup) const { return at_least ? speedup >= bound : speedup <= bound; }
};

/// "<row>: <set>/base >= <number>", or <=. A row may have colons and slashes itself.
/// Throws: ridgepoint::value_error unless it is that.
inline rule parse_rule(const std::string& text) {
  namespace rp = ridgepoint;
  constexpr std::string_view of_base = "/base ";
  const std::size_t base = text.rfind(of_base);
  const std::size_t colon = base == std::string::npos ? base : text.rfind(": ", base);
  rule read{.text = text, .row = {}, .set = {}};
  bool fits = colon != std::string::npos && colon > 0;
  if (fits) {
    read.row = text.substr(0, colon);
    read.set = text.substr(colon + 2, base - colon - 2);
    const std::string_view demand = std::string_view(text).substr(base + of_base.size());
    read.at_least = demand.starts_with(">= ");
    const char* const end = demand.data() + demand.size();
    fits = !read.set.empty() && (read.at_least || demand.starts_with("<= ")) && demand.size() > 3;
    if (fits) {
      const auto number = std::from_chars(demand.data() + 3, end, read.bound);
      fits = number.ec == std::errc{} && number.ptr == end && read.bound > 0 && read.bound < 1e100;
    }
  }
  rp::require<rp::value_error>(fits, "rule: '", text,
                               "'; must be '<row>: <set>/base >= <number>', or <=, where <row> may be all");
  return read;
}

}  // namespace measurement

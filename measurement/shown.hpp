// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include <ridgepoint/core/printable.hpp>
#include <ridgepoint/roofline/format.hpp>

namespace measurement {

/// Makes a text from a file safe for a terminal: printable, with the middle left out if it exceeds `most` characters.
inline std::string shown(std::string_view text, std::size_t most = 200) {
  namespace rp = ridgepoint;
  std::u32string points;
  rp::detail::for_each_code_point(rp::printable(text), [&](char32_t point) { points += point; });
  if (points.size() > most) points.replace(most / 2, points.size() - most + 1, U"…");
  std::string safe;
  for (const char32_t point : points) rp::detail::append_utf8(safe, point);
  return safe;
}

/// Formats a ratio with three decimals, which a gate of 1 % needs: "0.952", "1.020", "34.30".
inline std::string ratio_text(double value) {
  const double rounded = std::round(1000 * value) / 1000;
  return ridgepoint::figures(rounded, rounded < 1 ? 3 : 4);
}

}  // namespace measurement

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/types.hpp>

/// \file
/// Formats numbers and text for readers. Never locale dependent; no more digits than were measured.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Formats a number with `digits` significant digits, plain from 1e-6 to 1e9: "0.00123", "12.3", "1235". "-" if not
/// finite.
[[nodiscard]] inline std::string figures(double value, int digits = 3) {
  if (!std::isfinite(value)) return "-";
  if (exactly(value, 0)) return "0";
  char text[64];
  const auto rounded = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, digits - 1);
  const std::string_view scientific(text, static_cast<std::size_t>(rounded.ptr - text));
  int exponent = 0;
  const std::size_t e = scientific.find('e');
  const char* sign_and_digits = scientific.data() + e + (scientific[e + 1] == '+' ? 2 : 1);
  std::from_chars(sign_and_digits, rounded.ptr, exponent);
  if (exponent < -6 || exponent >= 9) return std::string(scientific);
  const int decimals = (std::max)(0, digits - 1 - exponent);
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals).ptr};
}

/// Formats a quantity with a decimal prefix: "12.3 GFLOP/s", "4.50 ms".
[[nodiscard]] inline std::string quantity(double value, std::string_view unit, int digits = 3) {
  static constexpr std::string_view prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"};
  const double magnitude = exactly(value, 0) || !std::isfinite(value) ? 0 : std::floor(std::log10(std::abs(value)) / 3);
  const int step = static_cast<int>(std::clamp(magnitude, -4.0, 6.0));
  return concat(figures(value * std::pow(10, -3 * step), digits), ' ', prefixes[step + 4], unit);
}

/// Formats a capacity: "32 KiB", "1.5 MiB"; "unbounded" for 0.
[[nodiscard]] inline std::string capacity(std::uint64_t bytes) {
  if (bytes == 0) return "unbounded";
  static constexpr std::string_view units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  for (; value >= 1024; value /= 1024) ++unit;
  return concat(value, units[unit]);
}

/// Counts the terminal columns of a UTF-8 text without wide or combining characters.
[[nodiscard]] inline std::size_t columns(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// Letter of row i of a profile in the table and in every plot: A … Z, a … z, then *.
[[nodiscard]] constexpr char row_letter(std::size_t i) noexcept {
  return i < 26 ? static_cast<char>('A' + i) : i < 52 ? static_cast<char>('a' + (i - 26)) : '*';
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
